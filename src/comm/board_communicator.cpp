#include "comm/board.hpp"
#include "comm/faults.hpp"

#include <loadstone/error.hpp>

#include <fmt/format.h>

#include <numeric>
#include <thread>
#include <utility>

namespace loadstone::comm {
namespace {

Failure left_failure(int rank) {
  return comm_failure(kRankLeft, fmt::format("rank {} has left while another waits for it", rank),
                      "See what that rank reported.");
}

class LetterRequest final : public CommRequest {
 public:
  LetterRequest(std::shared_ptr<Board> board, const Address& address, std::shared_ptr<Letter> letter)
      : board_(std::move(board)), address_(address), letter_(std::move(letter)) {
    board_->post(address_, letter_);
  }
  LetterRequest(const LetterRequest&) = delete;
  LetterRequest& operator=(const LetterRequest&) = delete;
  ~LetterRequest() override { withdraw(); }

  bool test() override {
    if (!letter_->done.load(std::memory_order_acquire)) return check_peer();
    if (!letter_->wrong_length) return true;
    throw Error(comm_failure("comm.length", "a message and its receive differ in length"));
  }

  bool withdraw() noexcept override {
    if (!letter_->done.load(std::memory_order_acquire)) board_->take_back(address_, letter_);
    return true;
  }

 private:
  bool check_peer() const {
    const int peer = letter_->is_send ? address_.to : address_.from;
    if (board_->roster().has_left(peer) && board_->is_waiting(*letter_)) throw Error(left_failure(peer));
    return false;
  }

  std::shared_ptr<Board> board_;
  Address address_;
  std::shared_ptr<Letter> letter_;
};

class MeetingRequest final : public CommRequest {
 public:
  MeetingRequest(std::shared_ptr<Board> board, int rank, const CollectiveTerms& terms, Contribution contribution)
      : board_(std::move(board)), meeting_(board_->join(rank)) {
    board_->arrive(*meeting_, rank, terms, contribution);
  }
  MeetingRequest(const MeetingRequest&) = delete;
  MeetingRequest& operator=(const MeetingRequest&) = delete;
  ~MeetingRequest() override { withdraw(); }

  bool test() override {
    if (meeting_->state.load(std::memory_order_acquire) == Meeting::State::open) check_others();
    const Meeting::State state = meeting_->state.load(std::memory_order_acquire);
    if (state == Meeting::State::failed) throw Error(meeting_->fault);
    return state == Meeting::State::done;
  }

  bool withdraw() noexcept override {
    if (meeting_->state.load(std::memory_order_acquire) == Meeting::State::open) leave_meeting(*meeting_);
    return true;
  }

  [[nodiscard]] const std::shared_ptr<Board>& copy() const noexcept { return meeting_->copy; }

 private:
  void check_others() const {
    for (int rank = 0; rank < board_->roster().size(); ++rank) {
      if (!board_->roster().has_left(rank)) continue;
      const std::lock_guard lock(meeting_->mutex);
      if (!meeting_->contributions[static_cast<std::size_t>(rank)].arrived) meeting_->fail(left_failure(rank));
    }
  }

  std::shared_ptr<Board> board_;
  std::shared_ptr<Meeting> meeting_;
};

class BoardCommunicator final : public Communicator {
 public:
  BoardCommunicator(std::shared_ptr<Board> board, int rank, std::string description)
      : board_(std::move(board)), rank_(rank), description_(std::move(description)) {}

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return board_->roster().size(); }
  [[nodiscard]] std::string description() const override { return description_; }

  std::unique_ptr<CommRequest> isend(std::span<const std::byte> bytes, int to, int tag) override {
    check(to, tag);
    auto letter = std::make_shared<Letter>();
    letter->is_send = true;
    letter->source = bytes.data();
    letter->nbytes = bytes.size();
    return std::make_unique<LetterRequest>(board_, Address{rank_, to, tag}, std::move(letter));
  }

  std::unique_ptr<CommRequest> irecv(std::span<std::byte> bytes, int from, int tag) override {
    check(from, tag);
    auto letter = std::make_shared<Letter>();
    letter->target = bytes.data();
    letter->nbytes = bytes.size();
    return std::make_unique<LetterRequest>(board_, Address{from, rank_, tag}, std::move(letter));
  }

  std::unique_ptr<CommRequest> iallreduce(std::span<std::int64_t> values, Reduce op) override {
    return meet({CollectiveTerms::Verb::allreduce, op, 0, static_cast<std::int64_t>(values.size_bytes())},
                {true, {}, std::as_writable_bytes(values)});
  }

  std::unique_ptr<CommRequest> ibroadcast(std::span<std::byte> bytes, int root) override {
    check(root, 0);
    return meet({CollectiveTerms::Verb::broadcast, {}, root, static_cast<std::int64_t>(bytes.size())},
                {true, {}, bytes});
  }

  std::unique_ptr<CommRequest> iallgatherv(std::span<const std::byte> mine, std::span<std::byte> all,
                                           std::span<const std::int64_t> counts) override {
    check_counts(*this, mine.size(), all.size(), counts);
    return meet({CollectiveTerms::Verb::allgatherv, {}, 0, static_cast<std::int64_t>(all.size())}, {true, mine, all});
  }

  std::shared_ptr<Communicator> duplicate() override {
    MeetingRequest request(board_, rank_, {CollectiveTerms::Verb::duplicate, {}, 0, 0}, {});
    while (!request.test()) std::this_thread::yield();
    return board_communicator(request.copy(), rank_, description_);
  }

 private:
  void check(int peer, int tag) const { check_peer_and_tag(*this, peer, tag); }
  std::unique_ptr<CommRequest> meet(const CollectiveTerms& terms, Contribution contribution) {
    return std::make_unique<MeetingRequest>(board_, rank_, terms, contribution);
  }

  std::shared_ptr<Board> board_;
  int rank_;
  std::string description_;
};

}  // namespace

std::shared_ptr<Communicator> board_communicator(std::shared_ptr<Board> board, int rank, std::string description) {
  return std::make_shared<BoardCommunicator>(std::move(board), rank, std::move(description));
}

}  // namespace loadstone::comm
