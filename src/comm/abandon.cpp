#include "comm/abandon.hpp"

#include <forward_list>
#include <mutex>
#include <utility>

namespace loadstone::comm {
namespace {

struct Abandoned {
  std::unique_ptr<CommRequest> request;
  std::shared_ptr<void> buffers;
};

// Never destroyed: an MPI that still runs at exit would write into freed memory.
void keep_for_ever(Abandoned abandoned) {
  static std::mutex mutex;
  static auto& kept = *std::make_unique<std::forward_list<Abandoned>>().release();
  const std::lock_guard lock(mutex);
  kept.push_front(std::move(abandoned));
}

}  // namespace

void let_go(std::unique_ptr<CommRequest> request, std::shared_ptr<void> buffers) noexcept {
  if (request == nullptr || request->withdraw()) return;
  keep_for_ever({std::move(request), std::move(buffers)});
}

}  // namespace loadstone::comm
