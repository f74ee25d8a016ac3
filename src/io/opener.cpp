#include "core/option_words.hpp"
#include "core/text.hpp"
#include "io/faults.hpp"
#include "io/file.hpp"
#include "io/roots.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <mutex>
#include <utility>

namespace loadstone::io {
namespace {

// Directories typed by the caller are few; more than this come from long lists of single files.
constexpr std::size_t kCachedRoots = 4;
constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

std::string link_target(const std::string& path) {
  std::array<char, PATH_MAX> target = {};
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  return length > 0 ? escape({target.data(), static_cast<std::size_t>(length)}) : std::string();
}

Fault outside_root(const std::string& path, const std::string& why, const std::string& target) {
  Fault fault =
      make_fault(Code::outside_root, "paths.outside_root", path, why,
                 target.empty() ? "Use names relative to the dataset's folder"
                                : "Add the folder it leads into to " + named(Option::roots) + " if you trust it");
  if (!target.empty()) fault.got = target;
  return fault;
}

Result<Descriptor> check_regular(Descriptor descriptor, const std::string& path) {
  struct stat status = {};
  if (::fstat(descriptor.get(), &status) != 0) return open_fault(path, errno, false, "");
  if (!S_ISREG(status.st_mode)) return not_regular_fault(path, status.st_mode);
  return descriptor;
}

ConfinedOpen open_typed(const std::string& path, int flags) {
  if (path.empty() || path.find('\0') != std::string::npos) return {Descriptor(), ENOENT, {}};
  int fd = -1;
  do fd = ::open(path.c_str(), flags);
  while (fd < 0 && errno == EINTR);
  return {Descriptor(fd), fd < 0 ? errno : 0, {}};
}

/// Why nothing could be opened. A socket cannot be opened at all (ENXIO), so its kind is asked for by name.
Fault refusal(const ConfinedOpen& opened, const std::string& path, const std::string& shown, bool typed) {
  if (!opened.outside_target.empty()) {
    const std::string target = escape(opened.outside_target, PATH_MAX);
    return outside_root(shown, fmt::format("it is a link that leaves its folder, to {}", target), target);
  }
  struct stat status = {};
  const bool known =
      opened.error == ENXIO && (typed ? ::stat(path.c_str(), &status) : ::lstat(path.c_str(), &status)) == 0;
  if (known && !S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode)) return not_regular_fault(shown, status.st_mode);
  return open_fault(shown, opened.error, typed, link_target(path));
}

}  // namespace

struct Opener::State {
  std::vector<Root> allowed;
  std::mutex mutex;
  std::vector<std::pair<std::string, std::shared_ptr<const Root>>> recent;  // latest last

  std::shared_ptr<const Root> root(const std::string& path, int* error) {
    const std::scoped_lock lock(mutex);
    const auto found =
        std::find_if(recent.begin(), recent.end(), [&](const auto& entry) { return entry.first == path; });
    if (found != recent.end()) {
      std::rotate(found, found + 1, recent.end());
      return recent.back().second;
    }
    auto made = std::make_shared<Root>(open_root(path, error));
    if (*error != 0) return nullptr;
    if (recent.size() >= kCachedRoots) recent.erase(recent.begin());
    recent.emplace_back(path, std::move(made));
    return recent.back().second;
  }
};

Opener::Opener(const std::vector<std::string>& allowed_roots) : state_(std::make_unique<State>()) {
  for (const std::string& path : allowed_roots) {
    int ignored = 0;  // a root that does not exist allows nothing
    state_->allowed.push_back(open_root(path, &ignored));
  }
}

Opener::~Opener() = default;

Result<Descriptor> Opener::open(const FileName& file, bool direct) const {
  const std::string path = file.path();
  const std::string shown = escape(path, PATH_MAX);
  const int flags = kOpenFlags | (direct ? O_DIRECT : 0);
  const bool typed = file.root.empty();
  ConfinedOpen opened;
  if (typed) {
    opened = open_typed(path, flags);
  } else {
    if (const std::string why = refused_name(file.name); !why.empty()) {
      return outside_root(shown, fmt::format("the name {} cannot be accepted: {}", escape(file.name), why), "");
    }
    int error = 0;
    const std::shared_ptr<const Root> root = state_->root(file.root, &error);
    if (root == nullptr) return open_fault(shown, error, false, "");
    opened = open_confined(*root, state_->allowed, file.name, flags, Resolver::kernel);
  }
  if (!opened.descriptor.valid()) return refusal(opened, path, shown, typed);
  opened.descriptor = Descriptor(above_standard_streams(opened.descriptor.release()));
  if (!opened.descriptor.valid()) return open_fault(shown, errno, typed, "");
  return check_regular(std::move(opened.descriptor), shown);
}

}  // namespace loadstone::io
