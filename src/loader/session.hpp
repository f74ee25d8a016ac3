// A collective call from the inside: settings, agreement, ledger and engine of one rank, and how it begins and ends.
#pragma once

#include "comm/agree.hpp"
#include "core/ledger.hpp"
#include "core/status.hpp"
#include "io/engine.hpp"
#include "loader/settings.hpp"

#include <loadstone/load.hpp>
#include <loadstone/options.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace loadstone::loader {

/// What every collective call asks for.
struct SessionOptions {
  IoOptions io;
  std::optional<std::int64_t> budget_bytes;
  double deadline_s = 0;
  std::optional<IdentityRule> identity;
  std::vector<std::string> roots;
  bool strict = false;  ///< what the environment holds that means nothing is a fault
  std::stop_token stop;
};
SessionOptions session_options(const LoadOptions& options);

/// Lives on the stack of a call. Destructors never communicate.
class Session {
 public:
  /// Collective: ends with the verdict "arguments", the first collective of every call. `mine` is what this rank has to
  /// say against the call already. Throws the agreed failure.
  Session(const CommPtr& comm, const SessionOptions& options, Status mine = {});

  [[nodiscard]] comm::Agreement& agreement() { return *agreement_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] Ledger& ledger() { return *ledger_; }
  [[nodiscard]] const io::Opener& opener() const { return *opener_; }
  [[nodiscard]] const Interrupt& interrupt() const { return interrupt_; }

  /// Options of discover with the roots of the environment where none are given.
  [[nodiscard]] OpenOptions with_roots(OpenOptions options) const {
    options.roots = settings_.roots;
    return options;
  }

  /// Takes a part of the budget away from the loads of this session. False if it is not free. Local.
  bool set_aside(std::int64_t bytes, Use use);

  /// Collective: ends a phase; throws the agreed failure, with this rank's own attached where it differs.
  void verdict(std::string_view phase, Status mine, std::int64_t round = -1);
  /// Throws a failure that is agreed already.
  [[noreturn]] void fail(Status agreed);

  /// The engine, made at the first use. Local.
  Result<io::Engine*> engine();

 private:
  Interrupt interrupt_;
  Settings settings_;
  std::unique_ptr<comm::Agreement> agreement_;
  std::unique_ptr<Ledger> ledger_;
  Reservation aside_;
  std::unique_ptr<io::Opener> opener_;
  std::unique_ptr<io::Engine> engine_;
};

/// Runs a step that may throw and turns what it throws into a status: bad_alloc is out_of_memory, the rest internal.
template <class Step>
Status guarded(const Step& step);
Status status_of_current_exception();
/// What the system refused, by its errno: out_of_memory where a thread or memory was, else io.
Fault system_fault(const std::system_error& error);

template <class Step>
Status guarded(const Step& step) {
  try {
    return step();
  } catch (...) {
    return status_of_current_exception();
  }
}

}  // namespace loadstone::loader
