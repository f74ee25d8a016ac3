#include "io/file.hpp"

#include "io/faults.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace loadstone::io {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::int64_t kMaxReadBytes = std::int64_t{1} << 30;

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * kNanosecondsPerSecond + time.tv_nsec; }

Fault changed(std::string_view path, std::string_view field, std::int64_t before, std::int64_t after) {
  Fault fault =
      make_fault(Code::changed, "shard.changed", path,
                 fmt::format("the file changed while it was being loaded: {} was {}, is now {}", field, before, after),
                 "Load again when nobody writes to it");
  fault.item = field;
  fault.wanted = before;
  fault.got = after;
  return fault;
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

Descriptor::~Descriptor() { reset(); }

int Descriptor::release() noexcept { return std::exchange(fd_, -1); }

void Descriptor::reset() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

int above_standard_streams(int fd) noexcept {
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  const int higher = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(fd);
  return higher;
}

std::string FileName::path() const {
  if (root.empty()) return name;
  return root.back() == '/' ? root + name : root + '/' + name;
}

Result<FileIdentity> identity_of(int fd, std::string_view path) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0) return open_fault(path, errno, false, "");
  FileIdentity identity;
  identity.device = status.st_dev;
  identity.inode = status.st_ino;
  identity.size = status.st_size;
  identity.mtime_ns = nanoseconds(status.st_mtim);
  identity.ctime_ns = nanoseconds(status.st_ctim);
  return identity;
}

Status compare_identity(const FileIdentity& before, const FileIdentity& after, IdentityRule rule,
                        std::string_view path) {
  if (before.size != after.size) return changed(path, "size", before.size, after.size);
  if (before.inode != after.inode) {
    return changed(path, "inode", static_cast<std::int64_t>(before.inode), static_cast<std::int64_t>(after.inode));
  }
  if (before.mtime_ns != after.mtime_ns) return changed(path, "mtime_ns", before.mtime_ns, after.mtime_ns);
  if (rule == IdentityRule::strict && before.ctime_ns != after.ctime_ns) {
    return changed(path, "ctime_ns", before.ctime_ns, after.ctime_ns);
  }
  if (before.header_hash != 0 && after.header_hash != 0 && before.header_hash != after.header_hash) {
    return changed(path, "header_hash", static_cast<std::int64_t>(before.header_hash),
                   static_cast<std::int64_t>(after.header_hash));
  }
  return {};
}

Result<std::int64_t> read_at(int fd, std::int64_t offset, std::span<std::byte> out, std::string_view path) {
  std::int64_t done = 0;
  const auto wanted = static_cast<std::int64_t>(out.size());
  while (done < wanted) {
    const std::int64_t ask = std::min(wanted - done, kMaxReadBytes);
    const ssize_t got = ::pread(fd, out.data() + done, static_cast<std::size_t>(ask), offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return read_fault({.path = path, .offset = offset, .bytes = wanted, .way = "buffered", .backend = "posix"},
                        errno);
    if (got == 0) break;
    done += got;
  }
  return done;
}

Result<std::vector<std::byte>> read_whole(const Opener& opener, const FileName& file, std::int64_t max_bytes) {
  Result<Descriptor> opened = opener.open(file);
  if (!opened.ok()) return std::move(opened).status();
  const std::string path = file.path();
  Result<FileIdentity> identity = identity_of(opened->get(), path);
  if (!identity.ok()) return std::move(identity).status();
  if (identity->size > max_bytes) {
    Fault fault = make_fault(Code::too_large, "shard.too_large", path,
                             fmt::format("the file has {} bytes, at most {} are accepted", identity->size, max_bytes),
                             "Check that it is the right file");
    fault.wanted = max_bytes;
    fault.got = identity->size;
    return fault;
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(identity->size));
  Result<std::int64_t> got = read_at(opened->get(), 0, bytes, path);
  if (!got.ok()) return std::move(got).status();
  bytes.resize(static_cast<std::size_t>(*got));
  return bytes;
}

std::int64_t descriptor_pool_size(std::int64_t option) {
  if (option > 0) return option;
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 64;
  return std::max<std::int64_t>(2, std::min<std::int64_t>(64, static_cast<std::int64_t>(limit.rlim_cur / 4)));
}

}  // namespace loadstone::io
