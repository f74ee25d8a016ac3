#include "loader/absent.hpp"

#include "core/text.hpp"
#include "io/faults.hpp"
#include "loader/glob.hpp"
#include "loader/near.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

namespace loadstone::loader {
namespace {

namespace fs = std::filesystem;

std::string meaning(int error) { return std::strerror(error); }

std::string near_text(const std::string& path, const std::string& parent) {
  std::vector<std::string> there;
  int unused = 0;
  if (directory_of(path) != parent || !list_directory(parent, there, unused)) return {};
  const std::string near = nearest(base_name(path), there);
  return near.empty() ? "" : fmt::format("Did you mean {}? ", escape(near));
}

Fault dangling(const std::string& path) {
  std::error_code ignored;
  Fault fault = make_fault(
      "shard.unreadable",
      fmt::format("it is a link to {}, which is not there", escape(fs::read_symlink(path, ignored).string())),
      "Bring the target back, or remove the link.");
  fault.system_errno = ENOENT;
  return fault;
}

Fault by_errno(const std::string& path, int error) {
  const std::string parent = nearest_parent(path);
  if (error == ENOENT) {
    return make_fault("path.missing", fmt::format("there is no such file or directory; {} exists", escape(parent)),
                      near_text(path, parent) + "Correct the path.");
  }
  if (error == ENOTDIR) {
    return make_fault("path.not_directory",
                      fmt::format("a part of the path is a file; {} is a directory", escape(parent)),
                      "Correct the path.");
  }
  if (io::is_out_of_descriptors(error)) {
    return make_fault("path.denied", fmt::format("it cannot be opened now: {}", meaning(error)),
                      std::string(io::kMoreDescriptors));
  }
  const bool denied = error == EACCES || error == EPERM;
  return make_fault(
      "path.denied", fmt::format("it cannot be reached: {}; {} can", meaning(error), escape(parent)),
      denied ? "Change the permissions, or run as a user who may read it." : "Check the path and the file system.");
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) || (is_glob(path) && !expand_glob(path).names.empty());
}

}  // namespace

Fault cannot_reach(const std::string& path, int error) {
  if (path.empty()) {
    Fault fault =
        make_fault("argument", "one of the paths is empty", "Give a directory, a glob, files, or a manifest.");
    fault.item = "paths";
    return fault;
  }
  std::error_code ignored;
  const bool is_link = error == ENOENT && fs::symlink_status(path, ignored).type() == fs::file_type::symlink;
  const std::string file = error == ENOENT || error == ENOTDIR ? container_of(path) : "";
  Fault fault = is_link ? dangling(path) : !file.empty() ? container_not_built(path, file) : by_errno(path, error);
  fault.path = path;
  if (fault.system_errno == 0 && file.empty()) fault.system_errno = error;
  return fault;
}

Fault cannot_list(const std::string& directory, int error) {
  Fault fault = by_errno(directory, error);
  fault.path = directory;
  fault.system_errno = error;
  return fault;
}

std::string container_of(const std::string& text) {
  for (std::size_t colon = text.rfind(':'); colon != std::string::npos && colon > 0;
       colon = text.rfind(':', colon - 1)) {
    std::string file = text.substr(0, colon);
    if (exists(file)) return file;
  }
  return {};
}

Fault container_not_built(const std::string& text, const std::string& file) {
  Fault fault = make_fault("container.unsupported",
                           fmt::format("{} would be an object inside of {}, and no format that holds several is built",
                                       escape(std::string_view(text).substr(file.size() + 1)), escape(file)),
                           "Convert the array to .npy, or give a file of a format that is built.");
  fault.path = file;
  fault.item = text.substr(file.size() + 1);
  return fault;
}

}  // namespace loadstone::loader
