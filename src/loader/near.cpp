#include "loader/near.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

namespace loadstone::loader {
namespace {

std::size_t likeness(std::string_view a, std::string_view b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t start = 0;
  while (start < shorter && a[start] == b[start]) ++start;
  std::size_t end = 0;
  while (start + end < shorter && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  return start + end;
}

}  // namespace

std::vector<std::string> near_misses(std::string_view word, const std::vector<std::string>& names, std::size_t count) {
  std::vector<std::string> near = names;
  std::ranges::sort(near, [&](const std::string& a, const std::string& b) {
    const std::size_t like_a = likeness(word, a);
    const std::size_t like_b = likeness(word, b);
    return like_a != like_b ? like_a > like_b : a < b;
  });
  if (near.size() > count) near.resize(count);
  return near;
}

std::string extension_counts(const std::vector<std::string>& names) {
  std::map<std::string, std::int64_t> counts;
  for (const std::string& name : names) ++counts[extension_of(name)];
  std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (sorted.size() > 5) sorted.resize(5);
  std::vector<std::string> texts;
  for (const auto& [extension, n] : sorted) {
    texts.push_back(fmt::format("{} ({})", extension.empty() ? "without extension" : escape(extension), n));
  }
  return joined(texts);
}

std::string extension_of(std::string_view name) {
  name = name.substr(name.find_last_of('/') + 1);
  const std::size_t dot = name.find_last_of('.');
  if (dot == std::string_view::npos || dot == 0) return {};
  std::string extension(name.substr(dot));
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

std::string nearest_parent(const std::string& path) {
  std::filesystem::path parent = std::filesystem::path(path).parent_path();
  std::error_code error;
  while (!parent.empty() && !std::filesystem::is_directory(parent, error)) {
    if (parent == parent.parent_path()) break;
    parent = parent.parent_path();
  }
  return parent.empty() ? "." : parent.string();
}

}  // namespace loadstone::loader
