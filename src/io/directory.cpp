#include "io/directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "core/text.hpp"
#include "io/file.hpp"

namespace loadstone::io {
namespace {

struct Closer {
  void operator()(DIR* directory) const noexcept { closedir(directory); }
};
using OpenDirectory = std::unique_ptr<DIR, Closer>;

/// Null with errno.
OpenDirectory open_directory(const std::string& directory) {
  Descriptor descriptor(
      above_standard_streams(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)));
  OpenDirectory opened(descriptor.valid() ? fdopendir(descriptor.get()) : nullptr);
  if (opened != nullptr) static_cast<void>(descriptor.release());  // closedir() closes it
  return opened;
}

Fault cannot_list(const std::string& directory, int error) {
  Fault fault{.code = Code::io,
              .kind = "write.failed",
              .message = fmt::format("the directory cannot be listed: {}", fmt::system_error(error, "").what() + 2),
              .remedy = "Check the directory and its permissions",
              .path = escape(directory, 4096),
              .system_errno = error};
  if (error == ENOENT || error == ENOTDIR) {
    fault.code = Code::not_found;
    fault.kind = error == ENOENT ? "path.missing" : "path.not_directory";
    fault.remedy = "Check the spelling";
  }
  return fault;
}

}  // namespace

Result<std::vector<DirectoryEntry>> list_directory(const std::string& directory) {
  const OpenDirectory opened = open_directory(directory);
  if (opened == nullptr) return cannot_list(directory, errno);
  std::vector<DirectoryEntry> entries;
  while (const dirent* const entry = readdir(opened.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat status{};
    // NOLINTNEXTLINE(clang-analyzer-unix.StdCLibraryFunctions): an open directory has a descriptor
    if (fstatat(dirfd(opened.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    entries.push_back({name, S_ISREG(status.st_mode), status.st_size});
  }
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

int list_names(const std::string& directory, std::vector<std::string>& names) {
  const OpenDirectory opened = open_directory(directory);
  if (opened == nullptr) return errno;
  errno = 0;
  while (const dirent* const entry = readdir(opened.get())) {
    if (*entry->d_name != '.') names.emplace_back(entry->d_name);
    errno = 0;
  }
  const int error = errno;
  std::ranges::sort(names);
  return error;
}

}  // namespace loadstone::io
