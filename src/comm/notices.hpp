// Stop notices (reliability.md A6): a rank that has failed tells ranks r + 2^i, they tell on, and so everybody knows
// within log2 P steps, long before the slowest reaches the verdict.
#pragma once

#include "core/status.hpp"

#include <loadstone/communicator.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace loadstone::comm {

/// First tag of the notices; each agreement uses the one of its serial number, so that the notice of a rank that is
/// ahead never meets the receives of one that is behind.
inline constexpr int kNoticeTag = 28672;
inline constexpr int kNoticeTags = 4096;

/// The notices of one agreement. Receives are posted from the start; a failed verdict settles them. Members throw
/// Error{comm} if the transport failed.
class StopNotices {
 public:
  /// Local: posts the receives.
  StopNotices(std::shared_ptr<Communicator> comm, std::int64_t serial);
  ~StopNotices();
  StopNotices(const StopNotices&) = delete;
  StopNotices& operator=(const StopNotices&) = delete;

  /// True once a notice has come since the last settlement. Local.
  bool arrived();
  /// Sends the notices, unless they were since the last settlement. Local.
  void send();
  /// After a failed verdict, on every rank: sends if not sent, and posts the next receives once all of this rank's
  /// notices have come and gone. True when settled; polled by the caller.
  bool settle();

 private:
  struct Incoming {
    int from = 0;
    bool arrived = false;
    std::shared_ptr<std::int64_t> serial;
    std::unique_ptr<CommRequest> request;
  };
  void post(Incoming& incoming);
  bool poll(Incoming& incoming);
  bool all_settled();

  std::shared_ptr<Communicator> comm_;
  std::shared_ptr<std::int64_t> serial_;
  int tag_;
  bool sent_ = false;
  std::vector<Incoming> incoming_;
  std::vector<std::unique_ptr<CommRequest>> outgoing_;
};

}  // namespace loadstone::comm
