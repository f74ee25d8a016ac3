#include "core/guarded.hpp"

#include <cerrno>
#include <exception>
#include <string>

namespace loadstone {

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

Fault out_of_memory_fault() {
  return {.code = Code::out_of_memory,
          .kind = "out_of_memory",
          .message = "the system refused memory",
          .remedy = "Use more ranks, a smaller selection, or a smaller budget"};
}

Status status_of_current_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return error.failure();
  } catch (const std::bad_alloc&) {
    return out_of_memory_fault();
  } catch (const std::system_error& error) {
    return system_fault(error);
  } catch (const std::exception& error) {
    return Fault{.code = Code::internal,
                 .kind = "internal",
                 .message = error.what(),
                 .remedy = "This is a defect of Loadstone: please report it with the command that shows it"};
  }
}

}  // namespace loadstone
