// What is done about a failed request: the table of io.md section 8 as a pure function.
#pragma once

#include "io/backend.hpp"

namespace loadstone::io {

enum class Reaction : std::uint8_t {
  again,             ///< EINTR: at once
  again_later,       ///< EAGAIN, ENOBUFS: after 1, 2, 4 ... 64 ms, until the deadline
  buffered_instead,  ///< direct I/O refused: the file is read buffered from now on
  reopen,            ///< ESTALE: open once more, and repeat if it is still the same file
  fewer_at_once,     ///< ENOMEM: half the depth, down to 1
  fail,              ///< `io`, after the retries that the options allow
};

Reaction reaction_to(int error, Mode mode) noexcept;

/// Pause before try number `tries` (1, 2, ...), in seconds.
double backoff_seconds(int tries) noexcept;

}  // namespace loadstone::io
