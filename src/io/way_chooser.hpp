// Chooses how each piece of a file is read (io.md section 3). The way never changes the answer.
#pragma once

#include "io/counters.hpp"
#include "io/descriptor_pool.hpp"
#include "io/engine.hpp"
#include "io/residency.hpp"

#include <cstdint>
#include <functional>
#include <unordered_map>

namespace loadstone::io {

/// How the engine may read, settled from the settings.
struct WayRules {
  enum class Direct : std::uint8_t { automatic, on, off, require } direct = Direct::automatic;
  bool mapped = true;
  static WayRules from(const EngineSettings& settings);
};

/// Questions to the kernel; tests answer them.
struct ResidencyQuestions {
  std::function<Residency(int, std::int64_t, std::int64_t)> residency = residency_of;
  std::function<bool(int)> is_true = residency_is_true;
};

class WayChooser {
 public:
  WayChooser(WayRules rules, Counters& counters, ResidencyQuestions questions = {});

  /// The state of the piece at `offset`, and how far it reaches. Asks the kernel once a window: samples of it first,
  /// which settle that all is resident; else the whole, which settles that little of it is; then piece by piece where
  /// it is mixed.
  Stretch at(OpenFile& file, std::int64_t offset);
  /// The answer to a request that was asked with `nowait`: it holds for the rest of its window.
  static void answer(OpenFile& file, std::int64_t offset, bool resident);
  /// Whether direct I/O may be tried on a file of these facts.
  [[nodiscard]] bool direct_allowed(const FsFacts& facts) const;
  [[nodiscard]] bool mapped_allowed(const FsFacts& facts) const;
  [[nodiscard]] const WayRules& rules() const { return rules_; }

 private:
  enum class Trust : std::uint8_t { told, silent, unknown };
  Trust trust(const OpenFile& file);
  void look(OpenFile& file);
  void ask(OpenFile& file);
  /// Where nobody tells, a request asks if something hangs on the answer.
  void fill_untold(OpenFile& file) const;
  [[nodiscard]] bool samples_are_resident(const OpenFile& file, std::int64_t start);
  void look_at_pieces(OpenFile& file, std::int64_t start);

  WayRules rules_;
  Counters& counters_;
  ResidencyQuestions questions_;
  std::unordered_map<std::uint64_t, Trust> trust_;  // by device
};

}  // namespace loadstone::io
