#include "loader/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <new>
#include <string>

namespace loadstone::loader {
namespace {

std::vector<std::byte> host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  const std::string_view text(name.data());
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

/// Ranks that share this host: they share its memory and its disks.
Result<int> count_ranks_on_node(comm::Agreement& agreement) {
  if (agreement.size() == 1) return 1;
  const std::vector<std::byte> mine = host_name();
  auto names = agreement.allgather(mine);
  if (!names.ok()) return std::move(names).status();
  return static_cast<int>(std::count(names->begin(), names->end(), mine));
}

}  // namespace

SessionOptions session_options(const LoadOptions& options) {
  return {options.io, options.budget_bytes, options.deadline_s, options.identity, options.open.roots, options.stop};
}

Session::Session(const CommPtr& comm, const SessionOptions& options, Status mine) {
  interrupt_.stop = options.stop;
  if (options.deadline_s > 0) interrupt_.deadline_s = options.deadline_s;
  agreement_ = std::make_unique<comm::Agreement>(comm, interrupt_);
  auto on_node = count_ranks_on_node(*agreement_);
  if (!on_node.ok()) fail(std::move(on_node).status());
  auto settings =
      make_settings(options.io, options.budget_bytes, options.deadline_s, options.identity, options.roots, *on_node);
  if (mine.ok() && !settings.ok()) mine = settings.status().clone();
  verdict("arguments", std::move(mine));
  settings_ = std::move(settings).value();
  interrupt_.deadline_s = settings_.deadline_s;
  // The plan must be equal everywhere, so the smallest budget counts (DS42).
  std::array<std::int64_t, 1> budget = {settings_.budget_bytes};
  if (Status status = agreement_->allreduce(budget, Reduce::min); !status.ok()) fail(std::move(status));
  settings_.budget_guessed = settings_.budget_guessed && budget[0] == settings_.budget_bytes;
  settings_.budget_bytes = budget[0];
  ledger_ = std::make_unique<Ledger>(settings_.budget_bytes);
  opener_ = std::make_unique<io::Opener>(settings_.roots);
}

void Session::verdict(std::string_view phase, Status mine, std::int64_t round) {
  if (Status agreed = agreement_->verdict(phase, std::move(mine), round); !agreed.ok()) fail(std::move(agreed));
}

void Session::fail(Status agreed) {
  Error error(std::move(agreed).take());
  if (const Failure* const own = agreement_->local()) error.set_local(*own);
  throw error;
}

Result<io::Engine*> Session::engine() {
  if (engine_ == nullptr) {
    auto made = io::Engine::make(settings_.engine, *opener_, *ledger_);
    if (!made.ok()) return std::move(made).status();
    engine_ = std::move(made).value();
  }
  return engine_.get();
}

Status status_of_current_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return error.failure();
  } catch (const std::bad_alloc&) {
    return Fault{.code = Code::out_of_memory,
                 .kind = "out_of_memory",
                 .message = "the system refused memory",
                 .remedy = "Use more ranks, a smaller selection, or a smaller budget"};
  } catch (const std::exception& error) {
    return Fault{.code = Code::internal,
                 .kind = "internal",
                 .message = error.what(),
                 .remedy = "This is a defect of Loadstone: please report it with the command that shows it"};
  }
}

}  // namespace loadstone::loader
