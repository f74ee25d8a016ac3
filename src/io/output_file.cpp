#include "io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/text.hpp"
#include "io/faults.hpp"

namespace loadstone::io {
namespace {

std::string remedy_of(int error, bool full) {
  if (is_out_of_descriptors(error)) return std::string(kMoreDescriptors);
  return full ? "Free space there, or write elsewhere" : "Check the directory and its permissions";
}

Fault failed(std::string_view what, const std::string& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return {.code = full              ? Code::no_space
                  : error == EEXIST ? Code::refused
                                    : Code::io,
          .kind = full ? "write.no_space" : "write.failed",
          .message = fmt::format("{}: {}", what, fmt::system_error(error, "").what() + 2),
          .remedy = remedy_of(error, full),
          .path = escape(path, 4096),
          .system_errno = error};
}

/// To lock it or to sync it.
Descriptor open_directory(const std::string& directory) {
  return Descriptor(above_standard_streams(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
}

std::string join(const std::string& directory, const std::string& name) {
  return directory.empty() || directory.back() == '/' ? directory + name : directory + '/' + name;
}

}  // namespace

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
  if (made < 0) return failed("the temporary file cannot be made", temporary, errno);
  OutputFile file(directory, name, temporary, Descriptor(above_standard_streams(made)));
  if (!file.descriptor_.valid()) return failed("the temporary file cannot be written", temporary, errno);
  // Where the file system cannot reserve (EOPNOTSUPP), a full disk is found by the write instead.
  if (expected_bytes > 0 && fallocate(file.descriptor_.get(), FALLOC_FL_KEEP_SIZE, 0, expected_bytes) != 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
    return failed(fmt::format("{} bytes are needed", grouped(expected_bytes)), join(directory, name), errno);
  }
  return file;
}

Status OutputFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = pwrite(descriptor_.get(), bytes.data(), bytes.size(), written_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(fmt::format("writing at {}", written_), join(directory_, name_), errno);
    written_ += n;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return {};
}

Status OutputFile::sync() {
  if (fsync(descriptor_.get()) != 0) return failed("fsync", join(directory_, name_), errno);
  descriptor_ = {};
  return {};
}

Status OutputFile::publish(bool replace) {
  const std::string target = join(directory_, name_);
  const int done = replace ? rename(temporary_.c_str(), target.c_str())
                           : renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE);
  if (done != 0) return failed("the finished file cannot be given its name", target, errno);
  temporary_.clear();
  return {};
}

Result<DirectoryLock> DirectoryLock::take(const std::string& directory) {
  Descriptor descriptor = open_directory(directory);
  if (!descriptor.valid()) return failed("the directory cannot be opened", directory, errno);
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
  struct statvfs space{};
  if (statvfs(directory.c_str(), &space) != 0 || space.f_blocks == 0) return {};
  const double free = static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
  if (static_cast<double>(bytes) <= free) return {};
  Fault fault =
      failed(fmt::format("{} bytes are needed, {} are free", grouped(bytes), grouped(static_cast<std::int64_t>(free))),
             directory, ENOSPC);
  fault.wanted = bytes;
  fault.got = static_cast<std::int64_t>(free);
  return fault;
}

Status sync_directory(const std::string& directory) {
  const Descriptor descriptor = open_directory(directory);
  if (!descriptor.valid() || fsync(descriptor.get()) != 0) return failed("fsync of the directory", directory, errno);
  return {};
}

Status make_directory(const std::string& directory) {
  if (mkdir(directory.c_str(), 0777) == 0 || errno == EEXIST) return {};
  return failed("the directory cannot be made", directory, errno);
}

Status remove_file(const std::string& path) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return failed("the file cannot be removed", path, errno);
}

bool remove_directory_if_empty(const std::string& directory) { return rmdir(directory.c_str()) == 0; }

}  // namespace loadstone::io
