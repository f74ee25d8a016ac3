// What a failed system call or a strange result means, as faults: the one place of this room's error text.
#pragma once

#include "core/status.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace loadstone::io {

/// "EIO", or "errno 4095" for a number without a name.
std::string errno_name(int error);

/// EMFILE, ENFILE: too many open files, which is no fault of the one that could not be opened.
bool is_out_of_descriptors(int error) noexcept;
/// What helps then.
inline constexpr std::string_view kMoreDescriptors = "Raise the limit of open files (ulimit -n), or use fewer ranks";

/// A fault with its code, kind and place filled in.
Fault make_fault(Code code, std::string_view kind, std::string_view path, std::string message, std::string remedy,
                 int error = 0);

/// Why a file could not be opened. `typed`: the caller typed the path, else it came from data or a directory.
Fault open_fault(std::string_view path, int error, bool typed, std::string_view link_target);

/// "a directory", "a FIFO", ... for anything that is no regular file.
Fault not_regular_fault(std::string_view path, unsigned int file_mode);

/// What the engine was doing when a read failed.
struct ReadContext {
  std::string_view path;
  std::int64_t shard = -1;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  std::string_view way;
  std::string_view backend;
  std::int64_t attempt = 1;
  std::int64_t attempts = 1;
};

/// "reading 1048576 bytes at 4198400: EIO (direct, uring, try 1 of 1)".
Fault read_fault(const ReadContext& context, int error);
/// The file ends before the wanted bytes, and has not changed since it was discovered.
Fault truncated_fault(const ReadContext& context, std::int64_t file_bytes);
Fault deadline_fault(const ReadContext& context, std::int64_t bytes_outstanding, double seconds);
Fault cancelled_fault();

}  // namespace loadstone::io
