#include "loader/digits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace loadstone::loader {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string_view without_zeros(std::string_view run) noexcept {
  const std::size_t first = run.find_first_not_of('0');
  return first == std::string_view::npos ? std::string_view{} : run.substr(first);
}

std::string doubled_braces(std::string_view text) {
  std::string out;
  for (const char c : text) out.append(c == '{' || c == '}' ? 2 : 1, c);
  return out;
}

}  // namespace

NameParts name_parts(std::string_view name) {
  NameParts parts;
  std::size_t at = 0;
  while (true) {
    const auto* first = std::find_if(name.begin() + at, name.end(), is_digit);
    const auto* last = std::find_if_not(first, name.end(), is_digit);
    const auto start = static_cast<std::size_t>(first - name.begin());
    parts.texts.push_back(name.substr(at, start - at));
    if (first == name.end()) return parts;
    at = static_cast<std::size_t>(last - name.begin());
    parts.runs.push_back(name.substr(start, at - start));
  }
}

std::string text_key(const NameParts& parts) {
  std::string key;
  for (const std::string_view text : parts.texts) key.append(text).push_back('\0');
  return key;
}

int compare_runs(std::string_view a, std::string_view b) noexcept {
  a = without_zeros(a);
  b = without_zeros(b);
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

bool numeric_less(const NameParts& a, const NameParts& b) noexcept {
  for (std::size_t i = 0; i < a.runs.size() && i < b.runs.size(); ++i) {
    const int order = compare_runs(a.runs[i], b.runs[i]);
    if (order != 0) return order < 0;
  }
  return false;
}

std::optional<std::int64_t> number_of(std::string_view run) noexcept {
  run = without_zeros(run);
  if (run.size() > 18) return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(run.data(), run.data() + run.size(), number);
  return number;
}

std::vector<std::size_t> varying_runs(std::span<const NameParts> names) {
  std::vector<std::size_t> varying;
  for (std::size_t run = 0; run < names.front().runs.size(); ++run) {
    const bool varies =
        std::ranges::any_of(names, [&](const NameParts& name) { return name.runs[run] != names.front().runs[run]; });
    if (varies) varying.push_back(run);
  }
  return varying;
}

std::optional<std::size_t> width_of(std::span<const std::string_view> runs) noexcept {
  const auto shorter = [](std::string_view a, std::string_view b) { return a.size() < b.size(); };
  const std::size_t width = std::ranges::min_element(runs, shorter)->size();
  const bool one_rule =
      std::ranges::all_of(runs, [&](std::string_view run) { return run.size() == width || run.front() != '0'; });
  return one_rule ? std::optional(width) : std::nullopt;
}

std::string name_with(const NameParts& parts, std::size_t run, std::int64_t number, std::size_t width) {
  std::string name;
  for (std::size_t i = 0; i < parts.texts.size(); ++i) {
    name += parts.texts[i];
    if (i == parts.runs.size()) break;
    name += i == run ? fmt::format("{:0{}}", number, width) : std::string(parts.runs[i]);
  }
  return name;
}

std::string pattern_with(const NameParts& parts, std::size_t run, std::size_t width) {
  std::string name;
  for (std::size_t i = 0; i < parts.texts.size(); ++i) {
    name += doubled_braces(parts.texts[i]);
    if (i == parts.runs.size()) break;
    if (i != run) name += parts.runs[i];
    if (i == run) name += width > 1 ? fmt::format("{{:0{}}}", width) : "{}";
  }
  return name;
}

}  // namespace loadstone::loader
