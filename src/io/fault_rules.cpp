#include "io/fault_rules.hpp"

#include <algorithm>
#include <cerrno>

namespace loadstone::io {

Reaction reaction_to(int error, Mode mode) noexcept {
  switch (error) {
    case EINTR:
      return Reaction::again;
    case EAGAIN:
    case ENOBUFS:
      return Reaction::again_later;
    case EINVAL:
    case EOPNOTSUPP:
      return mode == Mode::buffered ? Reaction::fail : Reaction::buffered_instead;
    case ESTALE:
      return Reaction::reopen;
    case ENOMEM:
      return Reaction::fewer_at_once;
    default:
      return Reaction::fail;
  }
}

double backoff_seconds(int tries) noexcept { return 0.001 * (1 << std::clamp(tries - 1, 0, 6)); }

}  // namespace loadstone::io
