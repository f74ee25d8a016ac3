#include "comm/agree.hpp"
#include "comm/polling.hpp"

namespace loadstone::comm {

Status wait(CommRequest& request, const Interrupt& interrupt, std::string_view what) {
  return poll(request, interrupt, what, [&]() -> Status {
    if (!interrupt.stop.stop_requested()) return {};
    return one_fault(Code::cancelled, "cancelled", fmt::format("stopped while waiting: {}", what));
  });
}

}  // namespace loadstone::comm
