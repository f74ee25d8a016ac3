#include "comm/agree.hpp"

#include "comm/abandon.hpp"
#include "comm/deadline_report.hpp"
#include "comm/notices.hpp"
#include "comm/polling.hpp"
#include "comm/status_record.hpp"
#include "comm/vote.hpp"
#include "core/guarded.hpp"

#include <loadstone/error.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <utility>

namespace loadstone::comm {
namespace {

constexpr std::size_t kScratchBytes = std::size_t{64} << 10;  // a record travels in pieces of this size
Failure cancelled_failure() { return one_fault(Code::cancelled, "cancelled", "the call was stopped"); }

/// The failure of a rank whose record did not fit into memory, there or here.
Failure bare_failure(std::int64_t vote) {
  Failure failure = one_fault(code_of(vote), "record.lost", "a rank failed, and memory ran out for its report");
  failure.rank = rank_of(vote);
  return failure;
}

bool same_faults(const Status& mine, const Failure& other) {
  return !mine.ok() && mine.failure().total_faults == other.total_faults && mine.failure().faults == other.faults;
}

/// What an operation under way works on; it may have to outlive the agreement.
struct Buffers {
  std::vector<std::int64_t> numbers;
  std::vector<std::byte> mine;
  std::vector<std::byte> all;
};

}  // namespace

struct Agreement::State {
  std::shared_ptr<Communicator> comm;
  Interrupt interrupt;
  std::function<void(const Failure&)> on_deadline;
  std::unique_ptr<StopNotices> notices;
  std::shared_ptr<Buffers> scratch = std::make_shared<Buffers>();  // allocated up front: memory may be what failed
  std::optional<Failure> broken;
  std::optional<Failure> local;
  std::string phase;
  std::int64_t round = -1;

  /// Breaks the agreement by a failure of the transport or a deadline; returns the failure as this call reports it.
  Status break_with(Failure failure, std::string_view what);
  void report(Failure& failure, std::string_view what);
  Failure placed(Failure failure) const;
  Status refusal() const { return placed(*broken); }
  void keep_local(Status mine, const Failure* winner);

  /// Runs something that throws when the transport fails.
  template <class Action>
  void reach_transport(const Action& action);
  /// Posts an operation on `buffers` and waits for it. `watch` runs between polls.
  template <class Post, class Watch>
  Status carry_out(const std::shared_ptr<Buffers>& buffers, std::string_view what, const Post& post,
                   const Watch& watch);
  template <class Post>
  Status carry_out(const std::shared_ptr<Buffers>& buffers, std::string_view what, const Post& post);

  void announce();
  bool told_to_stop();
  Result<std::int64_t> reduce_one(std::int64_t value, Reduce op, std::string_view what);
  Result<std::int64_t> worst_of(std::int64_t vote);
  Status settle_notices();
  Failure agree_on(std::int64_t vote, const Status& mine);
  Failure share_record(std::int64_t vote, const Status& mine);
  Status send_pieces(std::vector<std::byte>& record, std::int64_t nbytes, int root);
  Status agree_on_room(Agreement& agreement, std::string_view the_phase, Status mine);
};

Failure Agreement::State::placed(Failure failure) const {
  if (failure.phase.empty()) {
    failure.phase = phase;
    failure.round = round;
  }
  return failure;
}

void Agreement::State::report(Failure& failure, std::string_view what) {
  const Stuck stuck{phase, round, std::string(what), interrupt.deadline_s};
  const std::vector<int> missing = report_deadline(comm, interrupt.clock, stuck);
  if (!missing.empty()) failure.faults.front().message += "; no sign of life from " + ranks_text(missing);
  failure.rank = comm->rank();
  if (on_deadline) on_deadline(failure);
}

Status Agreement::State::break_with(Failure failure, std::string_view what) {
  broken = comm_failure("comm.broken", "the communicator failed before: " + failure.first().message);
  failure = placed(std::move(failure));
  if (failure.code() == Code::deadline) report(failure, what);
  return failure;
}

void Agreement::State::keep_local(Status mine, const Failure* winner) {
  if (severity_of(mine) < Severity::cancelled) return;
  if (winner != nullptr && same_faults(mine, *winner)) return;
  local = placed(std::move(mine).take());
}

template <class Action>
void Agreement::State::reach_transport(const Action& action) {
  if (broken) return;
  try {
    action();
  } catch (const Error& error) {
    broken = error.failure();
  } catch (const std::exception& error) {
    broken = comm_failure("comm.transport", error.what());
  }
}

template <class Post, class Watch>
Status Agreement::State::carry_out(const std::shared_ptr<Buffers>& buffers, std::string_view what, const Post& post,
                                   const Watch& watch) {
  std::unique_ptr<CommRequest> request;
  reach_transport([&] { patiently([&] { request = post(*buffers); }); });
  if (broken) return refusal();
  Status status = poll(*request, interrupt, what, watch);
  if (status.ok()) return status;
  status = break_with(std::move(status).take(), what);
  let_go(std::move(request), buffers);  // after the report, so that a peer meets its own deadline rather than our end
  return status;
}

template <class Post>
Status Agreement::State::carry_out(const std::shared_ptr<Buffers>& buffers, std::string_view what, const Post& post) {
  return carry_out(buffers, what, post, []() -> Status { return {}; });
}

void Agreement::State::announce() {
  if (broken) return;
  try {
    notices->send();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the verdict will meet the same and report it
  }
}

/// A transport that fails here is no verdict yet: a peer that has its verdict may be gone already.
bool Agreement::State::told_to_stop() {
  if (broken) return true;
  try {
    if (!notices->arrived()) return false;
    notices->send();
  } catch (const std::exception&) {
    return true;
  }
  return true;
}

Result<std::int64_t> Agreement::State::reduce_one(std::int64_t value, Reduce op, std::string_view what) {
  scratch->numbers.front() = value;
  Status status = carry_out(scratch, what, [&](Buffers& buffers) { return comm->iallreduce(buffers.numbers, op); });
  if (!status.ok()) return status;
  return scratch->numbers.front();
}

/// While it waits, a rank passes notices on, and sends its own if it is stopped: those who still work need to know.
Result<std::int64_t> Agreement::State::worst_of(std::int64_t vote) {
  scratch->numbers.front() = vote;
  const auto watch = [&]() -> Status {
    if (interrupt.stop.stop_requested()) announce();
    told_to_stop();
    return {};
  };
  Status status = carry_out(
      scratch, "the verdict", [&](Buffers& buffers) { return comm->iallreduce(buffers.numbers, Reduce::max); }, watch);
  if (!status.ok()) return status;
  return scratch->numbers.front();
}

Status Agreement::State::settle_notices() {
  class Settlement final : public CommRequest {
   public:
    explicit Settlement(StopNotices& notices) : notices_(&notices) {}
    bool test() override { return notices_->settle(); }
    bool withdraw() noexcept override { return true; }  // the notices look after their own requests

   private:
    StopNotices* notices_;
  };
  return carry_out(scratch, "stop notices", [&](Buffers&) { return std::make_unique<Settlement>(*notices); });
}

Status Agreement::State::send_pieces(std::vector<std::byte>& record, std::int64_t nbytes, int root) {
  const bool sends = comm->rank() == root;
  bool fits = true;
  for (std::int64_t at = 0; at < nbytes; at += static_cast<std::int64_t>(kScratchBytes)) {
    const auto length = static_cast<std::size_t>(std::min<std::int64_t>(nbytes - at, kScratchBytes));
    if (sends) std::memcpy(scratch->all.data(), record.data() + at, length);
    Status status = carry_out(scratch, "the report of a failure", [&](Buffers& buffers) {
      return comm->ibroadcast(std::span(buffers.all).first(length), root);
    });
    if (!status.ok()) return status;
    if (sends || !fits) continue;
    try {
      record.insert(record.end(), scratch->all.begin(), scratch->all.begin() + static_cast<std::ptrdiff_t>(length));
    } catch (const std::bad_alloc&) {
      fits = false;  // the other ranks still count on this one's part in the broadcasts
      record.clear();
    }
  }
  return {};
}

/// The winner's failure as its record tells it; this rank's view of the transport's if that broke meanwhile.
Failure Agreement::State::share_record(std::int64_t vote, const Status& mine) {
  const int winner = rank_of(vote);
  std::vector<std::byte> record;
  if (comm->rank() == winner) {
    try {
      record = encode_failure(placed(Failure(mine.failure())));
    } catch (const std::bad_alloc&) {
      record.clear();
    }
  }
  Result<std::int64_t> nbytes =
      reduce_one(static_cast<std::int64_t>(record.size()), Reduce::max, "the report of a failure");
  if (!nbytes.ok()) return std::move(nbytes).status().take();
  if (Status status = send_pieces(record, *nbytes, winner); !status.ok()) return std::move(status).take();
  if (record.empty()) return bare_failure(vote);
  try {
    return decode_failure(record);
  } catch (const std::bad_alloc&) {
    return patiently([&] { return bare_failure(vote); });
  }
}

/// The winner's failure, on all ranks. Where all bring the same, no single rank is to blame.
Failure Agreement::State::agree_on(std::int64_t vote, const Status& mine) {
  Failure failure = share_record(vote, mine);
  if (broken) return failure;
  Result<std::int64_t> all_same = reduce_one(same_faults(mine, failure) ? 1 : 0, Reduce::min, "the verdict");
  if (!all_same.ok()) return std::move(all_same).status().take();
  if (*all_same == 0 && failure.rank < 0) failure.rank = rank_of(vote);
  return failure;
}

Agreement::Agreement(std::shared_ptr<Communicator> comm, Interrupt interrupt,
                     std::function<void(const Failure&)> on_deadline)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.comm = std::move(comm);
  s.interrupt = std::move(interrupt);
  s.on_deadline = std::move(on_deadline);
  s.scratch->numbers.resize(1);
  s.scratch->all.resize(kScratchBytes);
  s.reach_transport([&] {
    const std::int64_t serial = s.comm->next_serial();
    s.notices = patiently([&] { return std::make_unique<StopNotices>(s.comm, serial); });
  });
}

Agreement::~Agreement() = default;

int Agreement::rank() const noexcept { return state_->comm->rank(); }
int Agreement::size() const noexcept { return state_->comm->size(); }
const Interrupt& Agreement::interrupt() const noexcept { return state_->interrupt; }
void Agreement::set_deadline(double seconds) noexcept { state_->interrupt.deadline_s = seconds; }
bool Agreement::broken() const noexcept { return state_->broken.has_value(); }
bool Agreement::peer_has_failed() { return state_->told_to_stop(); }
void Agreement::announce_failure() { state_->announce(); }
const Failure* Agreement::local() const noexcept { return state_->local ? &*state_->local : nullptr; }

Status Agreement::peer_failed() {
  return one_fault(Code::cancelled, std::string(kPeerFailed), "another rank stopped, and did not say why");
}

Status Agreement::verdict(std::string_view phase, Status mine, std::int64_t round) {
  State& s = *state_;
  s.local.reset();
  s.phase = phase;
  s.round = round;
  auto worst = s.worst_of(vote_of(mine, rank()));
  if (worst.ok() && *worst == 0) return {};
  if (worst.ok() && severity_of(*worst) == Severity::peer_failed) {
    // Nobody failed: a rank was stopped while it waited for this verdict, after its vote.
    if (s.interrupt.stop.stop_requested()) mine = cancelled_failure();
    worst = s.worst_of(vote_of(mine, rank()));
  }
  Status status = worst.ok() ? s.settle_notices() : worst.status().clone();
  if (!status.ok()) {
    s.keep_local(std::move(mine), nullptr);
    return status;
  }
  Failure failure = s.agree_on(*worst, mine);
  s.keep_local(std::move(mine), s.broken ? nullptr : &failure);
  if (severity_of(*worst) == Severity::broken && !s.broken) s.broken = failure;
  return failure;
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): a Status owns its failure; the check loses it on the way

Status Agreement::allreduce(std::span<std::int64_t> values, Reduce op) {
  const auto buffers = patiently([&] {
    auto made = std::make_shared<Buffers>();
    made->numbers.assign(values.begin(), values.end());
    return made;
  });
  Status status =
      state_->carry_out(buffers, "a reduction", [&](Buffers& b) { return state_->comm->iallreduce(b.numbers, op); });
  if (status.ok()) std::copy(buffers->numbers.begin(), buffers->numbers.end(), values.begin());
  return status;
}

/// Agrees on who has the memory for what comes next. Costs one allreduce of 8 bytes where all have.
Status Agreement::State::agree_on_room(Agreement& agreement, std::string_view the_phase, Status mine) {
  Result<std::int64_t> short_of = reduce_one(mine.ok() ? 0 : 1, Reduce::max, "memory for what comes");
  if (!short_of.ok()) return std::move(short_of).status();
  return *short_of == 0 ? Status() : agreement.verdict(the_phase, std::move(mine));
}

Status Agreement::broadcast(std::vector<std::byte>& bytes, int root, std::string_view phase, Status ready) {
  const bool sends = rank() == root;
  std::array<std::int64_t, 2> nbytes{sends ? static_cast<std::int64_t>(bytes.size()) : 0, ready.ok() ? 0 : 1};
  if (Status status = allreduce(nbytes, Reduce::max); !status.ok()) return status;
  if (nbytes[1] != 0) return verdict(phase, std::move(ready));
  std::shared_ptr<Buffers> buffers;
  Status room = guarded_action([&] {
    buffers = std::make_shared<Buffers>();
    if (sends) buffers->all = bytes;
    buffers->all.resize(static_cast<std::size_t>(nbytes[0]));
  });
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): a Status owns its failure; the check loses it on the way
  if (Status status = state_->agree_on_room(*this, phase, std::move(room)); !status.ok()) return status;
  Status status =
      state_->carry_out(buffers, "a broadcast", [&](Buffers& b) { return state_->comm->ibroadcast(b.all, root); });
  if (status.ok()) bytes = std::move(buffers->all);
  return status;
}

Result<Gathered> Agreement::allgather(std::span<const std::byte> mine, std::string_view phase, Status ready) {
  const auto ranks = static_cast<std::size_t>(size());
  const auto buffers = patiently([&] {
    auto made = std::make_shared<Buffers>();
    made->numbers.resize(ranks + 1);
    return made;
  });
  std::vector<std::int64_t>& sizes = buffers->numbers;
  sizes[static_cast<std::size_t>(rank())] = static_cast<std::int64_t>(mine.size());
  sizes[ranks] = ready.ok() ? 0 : 1;
  if (Status status = allreduce(sizes, Reduce::sum); !status.ok()) return status;
  if (sizes[ranks] != 0) return verdict(phase, std::move(ready));
  sizes.pop_back();
  Status room = guarded_action([&] {
    buffers->mine.assign(mine.begin(), mine.end());
    buffers->all.resize(static_cast<std::size_t>(std::reduce(sizes.begin(), sizes.end())));
  });
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): a Status owns its failure; the check loses it on the way
  if (Status status = state_->agree_on_room(*this, phase, std::move(room)); !status.ok()) return status;
  Status status = state_->carry_out(buffers, "a gather",
                                    [&](Buffers& b) { return state_->comm->iallgatherv(b.mine, b.all, b.numbers); });
  if (!status.ok()) return status;
  return Gathered{std::move(buffers->all), std::move(sizes)};
}

}  // namespace loadstone::comm
