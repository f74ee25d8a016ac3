#include "loader/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace loadstone::loader {
namespace {

/// How many ranks share what is here.
struct Neighbours {
  int on_host = 1;     ///< its memory and its disks
  int in_process = 1;  ///< its descriptors
};

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

Result<Neighbours> count_neighbours(comm::Agreement& agreement) {
  if (agreement.size() == 1) return Neighbours{};
  const std::string host = host_name() + '\n';
  const std::string mine = host + std::to_string(getpid());
  auto all = agreement.allgather(std::as_bytes(std::span(mine)));
  if (!all.ok()) return std::move(all).status();
  Neighbours neighbours{0, 0};
  for (const std::vector<std::byte>& part : *all) {
    const std::string_view theirs(reinterpret_cast<const char*>(part.data()), part.size());
    if (theirs.starts_with(host)) ++neighbours.on_host;
    if (theirs == mine) ++neighbours.in_process;
  }
  return neighbours;
}

}  // namespace

SessionOptions session_options(const LoadOptions& options) {
  return {options.io, options.budget_bytes, options.deadline_s, options.identity, options.open.roots, options.stop};
}

Session::Session(const CommPtr& comm, const SessionOptions& options, Status mine) {
  interrupt_.stop = options.stop;
  if (options.deadline_s > 0) interrupt_.deadline_s = options.deadline_s;
  agreement_ = std::make_unique<comm::Agreement>(comm, interrupt_);
  auto neighbours = count_neighbours(*agreement_);
  if (!neighbours.ok()) fail(std::move(neighbours).status());
  auto settings = make_settings(options.io, options.budget_bytes, options.deadline_s, options.identity, options.roots,
                                neighbours->on_host);
  if (mine.ok() && !settings.ok()) mine = settings.status().clone();
  verdict("arguments", std::move(mine));
  settings_ = std::move(settings).value();
  settings_.engine.open_files = std::max<std::int64_t>(2, settings_.engine.open_files / neighbours->in_process);
  interrupt_.deadline_s = settings_.deadline_s;
  agreement_->set_deadline(settings_.deadline_s);
  // The plan must be equal everywhere, so the smallest budget counts (DS42).
  std::array<std::int64_t, 1> budget = {settings_.budget_bytes};
  if (Status status = agreement_->allreduce(budget, Reduce::min); !status.ok()) fail(std::move(status));
  settings_.budget_guessed = settings_.budget_guessed && budget[0] == settings_.budget_bytes;
  settings_.budget_bytes = budget[0];
  ledger_ = std::make_unique<Ledger>(settings_.budget_bytes);
  opener_ = std::make_unique<io::Opener>(settings_.roots);
}

bool Session::set_aside(std::int64_t bytes, Use use) {
  auto taken = ledger_->try_reserve(bytes, use);
  if (!taken.ok()) return false;
  aside_ = std::move(taken).value();
  settings_.budget_bytes -= bytes;
  return true;
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

Fault system_fault(const std::system_error& error) {
  const int number = error.code().value();
  const bool short_of = number == EAGAIN || number == ENOMEM;  // no thread, no memory
  return {.code = short_of ? Code::out_of_memory : Code::io,
          .kind = short_of ? "system.refused" : "system.failed",
          .message = std::string("the system refused: ") + error.what(),
          .remedy = short_of ? "Use fewer ranks or threads, or raise the limits of this process (ulimit -a)"
                             : "Check the machine, then try again",
          .system_errno = number};
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
  } catch (const std::system_error& error) {
    return system_fault(error);
  } catch (const std::exception& error) {
    return Fault{.code = Code::internal,
                 .kind = "internal",
                 .message = error.what(),
                 .remedy = "This is a defect of Loadstone: please report it with the command that shows it"};
  }
}

}  // namespace loadstone::loader
