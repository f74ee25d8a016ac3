#include "io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/text.hpp"
#include "io/faults.hpp"

namespace loadstone::io {
namespace {

bool is_full(int error) { return error == ENOSPC || error == EDQUOT; }

std::string remedy_of(int error) {
  if (is_out_of_descriptors(error)) return std::string(kMoreDescriptors);
  if (error == EROFS) return "Write elsewhere: the file system is mounted read-only";
  if (error == EFBIG) return "Raise the limit on the size of files (ulimit -f), or write more and smaller shards";
  return is_full(error) ? "Free space there, or write elsewhere" : "Check the directory and its permissions";
}

/// Empty where the file system does not tell.
std::optional<std::int64_t> free_bytes(const std::string& path) {
  struct statvfs space{};
  if (statvfs(path.c_str(), &space) != 0 || space.f_blocks == 0) return {};
  const double free = static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
  return static_cast<std::int64_t>(std::min(free, 9e18));
}

/// To lock it or to sync it.
Descriptor open_directory(const std::string& directory) {
  return Descriptor(above_standard_streams(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
}

Fault cannot_name_new(const std::string& target, int error) {
  return {.code = Code::unsupported,
          .kind = "write.naming",
          .message = fmt::format("the file system gives no file its final name without replacing another: it knows "
                                 "neither renameat2 with RENAME_NOREPLACE nor links ({})",
                                 errno_name(error)),
          .remedy = "Write to another file system, and move the directory",
          .path = escape(target, 4096),
          .system_errno = error};
}

int rename_new(const char* from, const char* to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE); }

constexpr std::string_view kNoName = "the finished file cannot be given its name";

/// Neither call ever replaces a file. NFS, older Lustre and some FUSE do not know the first.
Status name_new(const char* from, const std::string& to, const NamingCalls& calls) {
  if (calls.rename_new(from, to.c_str()) == 0) return {};
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return write_fault(kNoName, to, errno);
  if (calls.link(from, to.c_str()) == 0) {
    unlink(from);  // if it stays, the next writer removes it
    return {};
  }
  const bool no_links = errno == EPERM || errno == ENOSYS || errno == EOPNOTSUPP || errno == EMLINK;
  return no_links ? cannot_name_new(to, errno) : write_fault(kNoName, to, errno);
}

std::string join(const std::string& directory, const std::string& name) {
  return directory.empty() || directory.back() == '/' ? directory + name : directory + '/' + name;
}

}  // namespace

const NamingCalls kSystemNaming = {&rename_new, &::link};

Fault write_fault(std::string_view what, const std::string& path, int error, std::optional<WriteNeed> need) {
  const bool no_space = is_full(error) || error == EROFS || error == EFBIG;
  Fault fault{.code = no_space          ? Code::no_space
                      : error == EEXIST ? Code::refused
                                        : Code::io,
              .kind = no_space ? "write.no_space" : "write.failed",
              .message = fmt::format("{}: {}", what, fmt::system_error(error, "").what() + 2),
              .remedy = remedy_of(error),
              .path = escape(path, 4096),
              .system_errno = error};
  if (!need || !no_space) return fault;
  fault.wanted = need->bytes;
  const std::optional<std::int64_t> free = free_bytes(need->directory);
  if (!free) return fault;
  fault.got = *free;
  if (error == EFBIG && need->bytes <= *free) return fault;  // that space is free is beside the point then
  fault.message += fmt::format("; {} bytes are needed, {} are free", grouped(need->bytes), grouped(*free));
  return fault;
}

OutputFile::OutputFile(std::string directory, std::string name, std::string temporary, Descriptor descriptor)
    : directory_(std::move(directory)),
      name_(std::move(name)),
      temporary_(std::move(temporary)),
      descriptor_(std::move(descriptor)) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : directory_(std::move(other.directory_)),
      name_(std::move(other.name_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::move(other.descriptor_)),
      written_(other.written_) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(name_, other.name_);
  std::swap(temporary_, other.temporary_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(written_, other.written_);
  return *this;
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Result<OutputFile> OutputFile::create(const std::string& directory, const std::string& name,
                                      std::int64_t expected_bytes) {
  const std::string temporary = join(directory, fmt::format("{}{}.{}", kTemporaryPrefix, name, getpid()));
  const int made = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  const WriteNeed need{expected_bytes, directory};
  if (made < 0) return write_fault("the temporary file cannot be made", temporary, errno, need);
  OutputFile file(directory, name, temporary, Descriptor(above_standard_streams(made)));
  if (!file.descriptor_.valid()) return write_fault("the temporary file cannot be written", temporary, errno);
  // Where the file system cannot reserve (EOPNOTSUPP), a full disk is found by the write instead.
  if (expected_bytes > 0 && fallocate(file.descriptor_.get(), FALLOC_FL_KEEP_SIZE, 0, expected_bytes) != 0 &&
      (is_full(errno) || errno == EFBIG)) {
    return write_fault("reserving space", join(directory, name), errno, need);
  }
  return file;
}

Status OutputFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = pwrite(descriptor_.get(), bytes.data(), bytes.size(), written_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot_append(static_cast<std::int64_t>(bytes.size()), errno);
    written_ += n;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return {};
}

Fault OutputFile::cannot_append(std::int64_t bytes, int error) const {
  return write_fault(fmt::format("writing {} bytes at {}", grouped(bytes), grouped(written_)), join(directory_, name_),
                     error, WriteNeed{bytes, directory_});
}

Status OutputFile::sync() {
  if (fsync(descriptor_.get()) != 0) return write_fault("fsync", join(directory_, name_), errno);
  descriptor_ = {};
  return {};
}

Status OutputFile::publish(bool replace, const NamingCalls& calls) {
  const std::string target = join(directory_, name_);
  Status named;
  if (!replace) named = name_new(temporary_.c_str(), target, calls);
  if (replace && rename(temporary_.c_str(), target.c_str()) != 0) named = write_fault(kNoName, target, errno);
  if (named.ok()) temporary_.clear();
  return named;
}

Result<DirectoryLock> DirectoryLock::take(const std::string& directory) {
  Descriptor descriptor = open_directory(directory);
  if (!descriptor.valid()) return write_fault("the directory cannot be opened", directory, errno);
  // A file system without locks (EOPNOTSUPP, ENOLCK) has one writer by agreement, as before.
  if (flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return Fault{.code = Code::refused,
                 .kind = "write.busy",
                 .message = "another writer is at work here",
                 .remedy = "Wait until it is done, or write elsewhere",
                 .path = escape(directory, 4096)};
  }
  return DirectoryLock(std::move(descriptor));
}

Status has_room_for(const std::string& directory, std::int64_t bytes) {
  const std::optional<std::int64_t> free = free_bytes(directory);
  if (!free || bytes <= *free) return {};
  return write_fault("the data does not fit", directory, ENOSPC, WriteNeed{bytes, directory});
}

Status sync_directory(const std::string& directory) {
  const Descriptor descriptor = open_directory(directory);
  if (!descriptor.valid() || fsync(descriptor.get()) != 0)
    return write_fault("fsync of the directory", directory, errno);
  return {};
}

Status make_directory(const std::string& directory) {
  if (mkdir(directory.c_str(), 0777) == 0 || errno == EEXIST) return {};
  return write_fault("the directory cannot be made", directory, errno);
}

Status remove_file(const std::string& path) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return write_fault("the file cannot be removed", path, errno);
}

bool remove_directory_if_empty(const std::string& directory) { return rmdir(directory.c_str()) == 0; }

}  // namespace loadstone::io
