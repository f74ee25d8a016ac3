#include "io/faults.hpp"

#include "core/option_words.hpp"
#include "core/text.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace loadstone::io {
namespace {

std::string nearest_existing_parent(std::string_view path) {
  std::error_code ignored;
  std::filesystem::path at = std::filesystem::path(path).parent_path();
  while (!at.empty() && !std::filesystem::exists(at, ignored) && at != at.parent_path()) at = at.parent_path();
  return at.empty() ? "." : escape_path(at.string());
}

std::string open_remedy(int error, std::string_view otherwise) {
  if (error == ENOENT) return "Put the file back or leave it out";
  return std::string(is_out_of_descriptors(error) ? kMoreDescriptors : otherwise);
}

Fault typed_fault(std::string_view path, int error) {
  switch (error) {
    case ENOENT:
      return make_fault(Code::not_found, "path.missing", path,
                        fmt::format("no such file; the nearest existing folder is {}", nearest_existing_parent(path)),
                        "Check the path", error);
    case ENOTDIR:
      return make_fault(Code::not_found, "path.not_directory", path,
                        fmt::format("a part of the path is not a directory; the nearest existing folder is {}",
                                    nearest_existing_parent(path)),
                        "Check the path", error);
    case EACCES:
    case EPERM:
      return make_fault(Code::io, "path.denied", path, "no permission to read it", "Ask for read permission", error);
    default:
      return make_fault(Code::io, "shard.unreadable", path, fmt::format("opening failed: {}", std::strerror(error)),
                        open_remedy(error, "Check the file system"), error);
  }
}

Fault with_range(Fault fault, const ReadContext& context) {
  if (context.shard >= 0) fault.shard = context.shard;
  fault.offset = context.offset;
  fault.bytes = context.bytes;
  return fault;
}

}  // namespace

bool is_out_of_descriptors(int error) noexcept { return error == EMFILE || error == ENFILE; }

std::string errno_name(int error) {
  const char* name = ::strerrorname_np(error);
  return name == nullptr ? fmt::format("errno {}", error) : name;
}

Fault make_fault(Code code, std::string_view kind, std::string_view path, std::string message, std::string remedy,
                 int error) {
  Fault fault;
  fault.code = code;
  fault.kind = kind;
  fault.path = path;
  fault.message = std::move(message);
  fault.remedy = std::move(remedy);
  fault.system_errno = error;
  return fault;
}

Fault open_fault(std::string_view path, int error, bool typed, std::string_view link_target) {
  if (typed) return typed_fault(path, error);
  std::string why = fmt::format("it cannot be opened: {} ({})", errno_name(error), std::strerror(error));
  if (!link_target.empty()) why += fmt::format("; it is a link to {}", escape_path(link_target));
  return make_fault(error == ENOENT ? Code::not_found : Code::io, "shard.unreadable", path, std::move(why),
                    open_remedy(error, "Make the file readable"), error);
}

Fault not_regular_fault(std::string_view path, unsigned int file_mode) {
  const char* what = "something unknown";
  if (S_ISDIR(file_mode)) what = "a directory";
  if (S_ISFIFO(file_mode)) what = "a FIFO";
  if (S_ISSOCK(file_mode)) what = "a socket";
  if (S_ISCHR(file_mode)) what = "a character device";
  if (S_ISBLK(file_mode)) what = "a block device";
  Fault fault = make_fault(Code::not_regular, "shard.not_regular", path, fmt::format("it is {}, not a file", what),
                           "Leave it out");
  fault.wanted = std::string("a regular file");
  fault.got = std::string(what);
  return fault;
}

Fault read_fault(const ReadContext& context, int error) {
  const bool direct = context.way == "direct";
  Fault fault = make_fault(
      Code::io, "shard.unreadable", context.path,
      fmt::format("reading {} bytes at {}: {} ({}, {}, try {} of {})", context.bytes, context.offset, errno_name(error),
                  context.way, context.backend, context.attempt, context.attempts),
      direct ? "Try " + named(Option::io_direct, "off") : "Check the storage, or set " + named(Option::io_retries),
      error);
  return with_range(std::move(fault), context);
}

Fault truncated_fault(const ReadContext& context, std::int64_t file_bytes) {
  const std::int64_t end = context.offset + context.bytes;
  Fault fault = make_fault(Code::truncated, "shard.truncated", context.path,
                           fmt::format("bytes {} to {} are wanted, the file ends at {} ({} short)", context.offset, end,
                                       file_bytes, end - file_bytes),
                           "Rewrite this shard or leave it out");
  fault.wanted = end;
  fault.got = file_bytes;
  return with_range(std::move(fault), context);
}

Fault deadline_fault(const ReadContext& context, std::int64_t bytes_outstanding, double seconds) {
  Fault fault = make_fault(Code::deadline, "io.deadline", context.path,
                           fmt::format("no read came back for {:.1f} s; {} bytes are outstanding, the oldest at {} "
                                       "({}, {})",
                                       seconds, bytes_outstanding, context.offset, context.way, context.backend),
                           "Check the storage, or raise " + named(Option::deadline));
  return with_range(std::move(fault), context);
}

Fault cancelled_fault() { return make_fault(Code::cancelled, "io.cancelled", "", "the load was stopped", ""); }

}  // namespace loadstone::io
