#include "loader/glob.hpp"

#include "io/directory.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace loadstone::loader {
namespace {

namespace fs = std::filesystem;

/// The end of the class that starts at pattern[at] == '[': index of its ']', or npos.
std::size_t class_end(std::string_view pattern, std::size_t at) noexcept {
  std::size_t first = at + 1;
  if (first < pattern.size() && (pattern[first] == '!' || pattern[first] == '^')) ++first;
  return first < pattern.size() ? pattern.find(']', first + 1) : std::string_view::npos;
}

bool class_holds(std::string_view inside, char c) noexcept {
  const bool negated = !inside.empty() && (inside.front() == '!' || inside.front() == '^');
  if (negated) inside.remove_prefix(1);
  const auto byte = [](char x) { return static_cast<unsigned char>(x); };
  bool found = false;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const bool range = i + 2 < inside.size() && inside[i + 1] == '-';
    found = found || (range ? byte(inside[i]) <= byte(c) && byte(c) <= byte(inside[i + 2]) : inside[i] == c);
    if (range) i += 2;
  }
  return found != negated;
}

/// Matches one pattern element at `p` (no star) against one byte; moves `p` behind it.
bool match_one(std::string_view pattern, std::size_t& p, char c) noexcept {
  if (pattern[p] == '[') {
    const std::size_t end = class_end(pattern, p);
    if (end != std::string_view::npos) {
      const bool holds = class_holds(pattern.substr(p + 1, end - p - 1), c);
      p = end + 1;
      return holds;
    }
  }
  const bool same = pattern[p] == '?' || pattern[p] == c;
  ++p;
  return same;
}

/// A step of the walk: directories (relative to the root, "" for itself) in which the next component is looked up.
struct Walk {
  std::string root;
  std::vector<std::string> at;
};

std::string in_walk(const Walk& walk, const std::string& relative) {
  return relative.empty() ? walk.root : join_path(walk.root, relative);
}

std::vector<std::string> split_components(std::string_view text) {
  std::vector<std::string> components;
  while (!text.empty()) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    if (slash > 0) components.emplace_back(text.substr(0, slash));
    text.remove_prefix(std::min(slash + 1, text.size()));
  }
  return components;
}

void match_component(const Walk& walk, const std::string& directory, const std::string& component,
                     std::vector<std::string>& found, GlobMatches& out) {
  if (!is_glob(component)) {
    const std::string next = join_path(directory.empty() ? "." : directory, component);
    std::error_code ignored;
    if (fs::symlink_status(in_walk(walk, next), ignored).type() != fs::file_type::not_found) found.push_back(next);
    return;
  }
  std::vector<std::string> names;
  int error = 0;
  if (!list_directory(in_walk(walk, directory), names, error)) {
    if (error == ENOTDIR || error == ENOENT || out.denied_errno != 0) return;
    out.denied_errno = error;
    out.searched = in_walk(walk, directory);
    return;
  }
  for (const std::string& name : names) {
    if (glob_match(component, name)) found.push_back(join_path(directory.empty() ? "." : directory, name));
  }
}

}  // namespace

bool is_glob(std::string_view text) noexcept { return text.find_first_of("*?[") != std::string_view::npos; }

bool glob_match(std::string_view pattern, std::string_view name) noexcept {
  if (name.starts_with('.') && !pattern.starts_with('.')) return false;
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;  // the last star, from which the rest is tried again one byte further
  std::size_t resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && match_one(pattern, p, name[n])) {
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::string_view literal_prefix(std::string_view pattern) noexcept {
  return pattern.substr(0, std::min(pattern.find_first_of("*?["), pattern.size()));
}

GlobMatches expand_glob(const std::string& pattern) {
  const std::size_t magic = pattern.find_first_of("*?[");
  const std::size_t slash = pattern.rfind('/', magic);
  GlobMatches out;
  out.root = slash == std::string::npos ? "." : slash == 0 ? "/" : pattern.substr(0, slash);
  Walk walk{out.root, {""}};
  for (const std::string& component :
       split_components(std::string_view(pattern).substr(slash == std::string::npos ? 0 : slash + 1))) {
    std::vector<std::string> found;
    for (const std::string& directory : walk.at) match_component(walk, directory, component, found, out);
    if (out.denied_errno != 0) return out;
    if (found.empty()) {
      out.searched = in_walk(walk, walk.at.front());
      out.component = component;
      return out;
    }
    walk.at = std::move(found);
  }
  out.names = std::move(walk.at);
  std::ranges::sort(out.names);
  return out;
}

bool list_directory(const std::string& directory, std::vector<std::string>& names, int& error) {
  error = io::list_names(directory.empty() ? "." : directory, names);
  return error == 0;
}

std::string base_name(std::string_view path) { return std::string(path.substr(path.find_last_of('/') + 1)); }

std::string directory_of(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

std::string join_path(std::string_view root, std::string_view name) {
  if (root.empty() || root == ".") return std::string(name);
  std::string path(root);
  if (path.back() != '/') path += '/';
  return path.append(name);
}

}  // namespace loadstone::loader
