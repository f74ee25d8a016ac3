#include "loader/session.hpp"

#include <unistd.h>

#include "plan/planner.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

namespace loadstone::loader {
namespace {

constexpr std::string_view kPhase = "arguments";

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
  std::string host;
  std::string mine;
  Status ready = guarded_action([&] {
    host = host_name() + '\n';
    mine = host + std::to_string(getpid());
  });
  auto all = agreement.allgather(std::as_bytes(std::span(mine)), kPhase, std::move(ready));
  if (!all.ok()) return std::move(all).status();
  Neighbours neighbours{0, 0};
  all->for_each([&](std::span<const std::byte> part) {
    const std::string_view theirs(reinterpret_cast<const char*>(part.data()), part.size());
    if (theirs.starts_with(host)) ++neighbours.on_host;
    if (theirs == mine) ++neighbours.in_process;
  });
  return neighbours;
}

/// Orders requests by their size; 0, which is left to the file system's class, is planned as 1 MiB.
std::int64_t key_of_request(std::int64_t bytes) { return bytes == 0 ? 2 * plan::kDefaultRequestBytes + 1 : 2 * bytes; }
std::int64_t request_of_key(std::int64_t key) { return key % 2 == 1 ? 0 : key / 2; }

Status unknown_names() {
  std::vector<Fault> faults = environment_warnings();
  return faults.empty() ? Status() : Status(failure_of(std::move(faults)));
}

}  // namespace

SessionOptions session_options(const LoadOptions& options) {
  return {options.io,         options.budget_bytes, options.deadline_s, options.identity,
          options.open.roots, options.open.strict,  options.stop,       options.context};
}

Session::Session(const CommPtr& comm, const SessionOptions& options, Status mine) {
  interrupt_.stop = options.stop;
  if (options.deadline_s > 0) interrupt_.deadline_s = options.deadline_s;
  agreement_ = patiently([&] { return std::make_unique<comm::Agreement>(comm, interrupt_); });
  auto neighbours = count_neighbours(*agreement_);
  if (!neighbours.ok()) fail(std::move(neighbours).status());
  Status settled = guarded([&] { return settle(options, neighbours->on_host); });
  if (mine.ok()) mine = std::move(settled);
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): a Status owns its failure; the check loses it on the way
  if (mine.ok() && options.strict) mine = guarded([] { return unknown_names(); });
  verdict(kPhase, std::move(mine));
  settings_.engine.open_files = std::max<std::int64_t>(2, settings_.engine.open_files / neighbours->in_process);
  interrupt_.deadline_s = settings_.deadline_s;
  agreement_->set_deadline(settings_.deadline_s);
  if (Status status = agree_on_plan(); !status.ok()) fail(std::move(status));
  const auto slabs = options.context == nullptr ? nullptr : options.context->state()->slabs;
  share_.shrink_to(settings_.budget_bytes);
  ledger_ = patiently([&] { return std::make_unique<Ledger>(settings_.budget_bytes); });
  shelf_ = patiently([&] { return std::make_unique<io::SlabShelf>(*ledger_, slabs); });
}

Status Session::settle(const SessionOptions& options, int ranks_on_host) {
  auto settings = make_settings(options.io, options.budget_bytes, options.deadline_s, options.identity, options.roots,
                                ranks_on_host);
  if (!settings.ok()) return std::move(settings).status();
  settings_ = std::move(settings).value();
  if (options.context != nullptr) {
    const auto stated = settings_.budget_guessed ? std::nullopt : std::optional(settings_.budget_bytes);
    auto share = Share::take(options.context->state(), stated);
    if (!share.ok()) return std::move(share).status();
    share_ = std::move(share).value();
    settings_.budget_bytes = share_.budget_bytes().value_or(settings_.budget_bytes);
    settings_.budget_guessed = settings_.budget_guessed && !share_.budget_bytes();
  }
  opener_ = std::make_unique<io::Opener>(settings_.roots);
  return {};
}

/// Collective. The plan must be equal everywhere, and so what it is made of, which environments may set differently:
/// the smallest budget and request count, and staging if any rank asks for it (DS42, IO-41).
Status Session::agree_on_plan() {
  io::EngineSettings& engine = settings_.engine;
  const std::int64_t in_place = engine.landing == "staged" ? 0 : 1;
  std::array<std::int64_t, 3> least = {settings_.budget_bytes, key_of_request(engine.request_bytes), in_place};
  if (Status status = agreement_->allreduce(least, Reduce::min); !status.ok()) return status;
  settings_.budget_guessed = settings_.budget_guessed && least[0] == settings_.budget_bytes;
  settings_.budget_bytes = least[0];
  engine.request_bytes = request_of_key(least[1]);
  if (least[2] == 0) engine.landing = "staged";
  return {};
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
    auto made = io::Engine::make(settings_.engine, *opener_, *ledger_, nullptr, shelf_.get());
    if (!made.ok()) return std::move(made).status();
    engine_ = std::move(made).value();
  }
  return engine_.get();
}

}  // namespace loadstone::loader
