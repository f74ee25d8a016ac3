#include "comm/notices.hpp"

#include "comm/abandon.hpp"
#include "core/guarded.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace loadstone::comm {
namespace {

std::span<std::int64_t, 1> one(std::int64_t& value) { return std::span<std::int64_t, 1>(&value, 1); }

}  // namespace

StopNotices::StopNotices(std::shared_ptr<Communicator> comm, std::int64_t serial)
    : comm_(std::move(comm)),
      serial_(std::make_shared<std::int64_t>(serial)),
      tag_(kNoticeTag + static_cast<int>(serial % kNoticeTags)) {
  const std::int64_t ranks = comm_->size();
  for (std::int64_t step = 1; step < ranks; step *= 2) {
    Incoming& incoming = incoming_.emplace_back();
    incoming.from = static_cast<int>((comm_->rank() + ranks - step) % ranks);
    incoming.serial = std::make_shared<std::int64_t>(0);
  }
  outgoing_.reserve(incoming_.size());
  for (Incoming& incoming : incoming_) post(incoming);
}

StopNotices::~StopNotices() {
  for (Incoming& incoming : incoming_) let_go(std::move(incoming.request), incoming.serial);
  for (auto& request : outgoing_) let_go(std::move(request), serial_);
}

bool StopNotices::arrived() {
  bool any = false;
  for (Incoming& incoming : incoming_) any = poll(incoming) || any;
  return any;
}

void StopNotices::send() {
  if (std::exchange(sent_, true)) return;
  const std::int64_t ranks = comm_->size();
  for (std::int64_t step = 1; step < ranks; step *= 2) {
    const int to = static_cast<int>((comm_->rank() + step) % ranks);
    outgoing_.push_back(patiently([&] { return comm_->isend(std::as_bytes(one(*serial_)), to, tag_); }));
  }
}

bool StopNotices::settle() {
  send();
  if (!all_settled()) return false;
  outgoing_.clear();
  sent_ = false;
  for (Incoming& incoming : incoming_) post(incoming);
  return true;
}

bool StopNotices::all_settled() {
  bool settled = true;
  for (Incoming& incoming : incoming_) settled = poll(incoming) && settled;
  for (const auto& request : outgoing_) settled = request->test() && settled;
  return settled;
}

void StopNotices::post(Incoming& incoming) {
  incoming.arrived = false;
  incoming.request =
      patiently([&] { return comm_->irecv(std::as_writable_bytes(one(*incoming.serial)), incoming.from, tag_); });
}

bool StopNotices::poll(Incoming& incoming) {
  while (!incoming.arrived && incoming.request->test()) {
    // A number of another agreement: a stop that came too late for its last verdict, 4096 agreements ago.
    if (*incoming.serial == *serial_) {
      incoming.arrived = true;
    } else {
      post(incoming);
    }
  }
  return incoming.arrived;
}

}  // namespace loadstone::comm
