// A collective call from the inside: settings, agreement, ledger and engine of one rank, and how it begins and ends.
#pragma once

#include "comm/agree.hpp"
#include "core/guarded.hpp"
#include "core/ledger.hpp"
#include "core/status.hpp"
#include "io/engine.hpp"
#include "loader/context_state.hpp"
#include "loader/settings.hpp"

#include <loadstone/load.hpp>
#include <loadstone/options.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  std::shared_ptr<Context> context;
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
  /// Where staging memory comes from.
  [[nodiscard]] io::SlabShelf& shelf() { return *shelf_; }
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

  /// Collective: what all ranks give; `make` gives this rank's bytes, and may fail or throw: then all fail alike.
  template <class Make>
  comm::Gathered gather(std::string_view phase, const Make& make);
  /// Collective: throws `ranks.differ` unless `make`, which may throw, gives the same text on every rank.
  template <class Make>
  void compare(std::string_view what, std::string_view phase, const Make& make);

  /// The engine, made at the first use. Local.
  Result<io::Engine*> engine();

 private:
  Status settle(const SessionOptions& options, int ranks_on_host);
  Status agree_on_plan();

  Interrupt interrupt_;
  Settings settings_;
  std::unique_ptr<comm::Agreement> agreement_;
  Share share_;  ///< of the context's budget
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<io::SlabShelf> shelf_;
  Reservation aside_;
  std::unique_ptr<io::Opener> opener_;
  std::unique_ptr<io::Engine> engine_;
};

template <class Make>
comm::Gathered Session::gather(std::string_view phase, const Make& make) {
  decltype(make()) mine;
  Status ready = guarded_action([&] { mine = make(); });
  auto all = agreement_->allgather(std::as_bytes(std::span(mine)), phase, std::move(ready));
  if (!all.ok()) fail(std::move(all).status());
  return std::move(all).value();
}

template <class Make>
void Session::compare(std::string_view what, std::string_view phase, const Make& make) {
  std::string text;
  Status ready = guarded_action([&] { text = make(); });
  if (Status same = agreement_->same_everywhere(what, text, phase, std::move(ready)); !same.ok()) fail(std::move(same));
}

}  // namespace loadstone::loader
