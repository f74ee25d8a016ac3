#include "io/roots.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

namespace loadstone::io {
namespace {

constexpr int kMaxHops = 40;         // the kernel's own limit
constexpr int kMaxRenameTries = 16;  // EAGAIN: a rename raced with the resolution

using Components = std::vector<std::string>;  // last one first, so that the next is at the back

void push_components(Components& out, std::string_view path) {
  Components parts;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (slash > 0 && path.substr(0, slash) != ".") parts.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  std::move(parts.rbegin(), parts.rend(), std::back_inserter(out));
}

bool is_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string normalised(const std::string& path) {
  std::string text = std::filesystem::path(path).lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

int open_beneath(int directory, const std::string& name, int flags) {
  open_how how = {};
  how.flags = static_cast<unsigned>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  for (int attempt = 0; attempt < kMaxRenameTries; ++attempt) {
    const long fd = ::syscall(SYS_openat2, directory, name.c_str(), &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) return static_cast<int>(fd);
  }
  return -1;
}

/// Goes through a name one component at a time, never letting the kernel follow a link, so that it knows where each
/// leads before anything is opened there.
class Walk {
 public:
  Walk(const Root& root, const std::vector<Root>& allowed, int flags) : own_(root), allowed_(allowed), flags_(flags) {
    enter(root);
  }

  ConfinedOpen open(const std::string& name) {
    push_components(rest_, name);
    while (!finished_) step();
    return std::move(result_);
  }

 private:
  void enter(const Root& root) {
    root_ = &root;
    below_.clear();
    names_.clear();
  }

  [[nodiscard]] int here() const { return below_.empty() ? root_->directory.get() : below_.back().get(); }

  [[nodiscard]] std::string here_text() const {
    std::string text = root_->real;
    for (const std::string& name : names_) text += '/' + name;
    return text;
  }

  void fail(int error) {
    result_.error = error;
    finished_ = true;
  }

  void step() {
    if (rest_.empty()) return open_here();
    const std::string name = std::move(rest_.back());
    rest_.pop_back();
    if (name == "..") return go_up();
    const bool last = rest_.empty();
    const int flags = last ? flags_ | O_NOFOLLOW : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const int fd = ::openat(here(), name.c_str(), flags);
    if (fd < 0) return on_refusal(name, errno);
    if (last) {
      result_.descriptor = Descriptor(fd);
      finished_ = true;
      return;
    }
    below_.emplace_back(fd);
    names_.push_back(name);
  }

  void open_here() {
    const int fd = ::openat(here(), ".", flags_ | O_NOFOLLOW);
    if (fd < 0) return fail(errno);
    result_.descriptor = Descriptor(fd);
    finished_ = true;
  }

  void go_up() {
    if (!below_.empty()) {
      below_.pop_back();
      names_.pop_back();
      return;
    }
    jump(normalised(root_->real + "/.."));
  }

  void on_refusal(const std::string& name, int error) {
    if (error == EINTR) {
      rest_.push_back(name);
      return;
    }
    std::array<char, PATH_MAX> target = {};
    const bool may_be_link = error == ELOOP || error == ENOTDIR;
    const ssize_t length = may_be_link ? ::readlinkat(here(), name.c_str(), target.data(), target.size()) : -1;
    if (length <= 0) return fail(error == ELOOP ? EAGAIN : error);
    if (++hops_ > kMaxHops) return fail(ELOOP);
    follow(std::string(target.data(), static_cast<std::size_t>(length)));
  }

  void follow(const std::string& target) {
    if (target.front() == '/') return jump(target);
    push_components(rest_, target);
  }

  /// Continues at an absolute path, below whichever root holds it.
  void jump(const std::string& target) {
    std::string path = target;
    for (auto name = rest_.rbegin(); name != rest_.rend(); ++name) path += '/' + *name;
    path = normalised(path);
    const auto [root, folder] = holder(path);
    if (root == nullptr) {
      result_.outside_target = path;
      return fail(EXDEV);
    }
    enter(*root);
    rest_.clear();
    push_components(rest_, std::string_view(path).substr(folder.size()));
  }

  [[nodiscard]] std::pair<const Root*, std::string_view> holder(std::string_view path) const {
    std::pair<const Root*, std::string_view> best = {nullptr, {}};
    const auto consider = [&](const Root& root) {
      for (const std::string_view folder : {std::string_view(root.written), std::string_view(root.real)}) {
        const bool longer = best.first == nullptr || folder.size() > best.second.size();
        if (root.directory.valid() && !folder.empty() && is_below(path, folder) && longer) best = {&root, folder};
      }
    };
    consider(own_);
    std::for_each(allowed_.begin(), allowed_.end(), consider);
    return best;
  }

  const Root& own_;
  const std::vector<Root>& allowed_;
  const int flags_;
  const Root* root_ = nullptr;
  std::vector<Descriptor> below_;  // folders entered below the root
  Components names_;               // their names
  Components rest_;
  int hops_ = 0;
  bool finished_ = false;
  ConfinedOpen result_;
};

}  // namespace

Root open_root(const std::string& path, int* error) {
  Root root;
  std::error_code failed;
  root.written = normalised(std::filesystem::absolute(path, failed).string());
  const int fd = above_standard_streams(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  *error = fd < 0 ? errno : 0;
  root.directory = Descriptor(fd);
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  root.real = real ? real.get() : root.written;
  return root;
}

std::string refused_name(std::string_view name) {
  if (name.empty()) return "it is empty";
  if (name.find('\0') != std::string_view::npos) return "it holds a NUL byte";
  if (name.front() == '/') return "it is absolute";
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    if (rest.substr(0, slash) == "..") return "it holds '..'";
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  return {};
}

ConfinedOpen open_confined(const Root& root, const std::vector<Root>& allowed, const std::string& name, int flags,
                           Resolver resolver) {
  if (resolver == Resolver::kernel) {
    const int fd = open_beneath(root.directory.get(), name, flags);
    if (fd >= 0) return {Descriptor(fd), 0, {}};
    // A link that leaves the root is followed by our own walk; so is everything where openat2 is missing or forbidden.
    if (errno != EXDEV && errno != ENOSYS && errno != EPERM) return {Descriptor(), errno, {}};
  }
  ConfinedOpen opened = Walk(root, allowed, flags).open(name);
  for (int attempt = 1; opened.error == EAGAIN && attempt < kMaxRenameTries; ++attempt) {
    opened = Walk(root, allowed, flags).open(name);
  }
  return opened;
}

}  // namespace loadstone::io
