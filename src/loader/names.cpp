#include "loader/names.hpp"

#include "core/option_words.hpp"
#include "core/text.hpp"
#include "loader/digits.hpp"
#include "loader/numbering.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace loadstone::loader {
namespace {

using Positions = std::vector<std::size_t>;

std::vector<NameParts> parts_of(std::span<const std::string> names, const Positions& members) {
  std::vector<NameParts> parts;
  parts.reserve(members.size());
  for (const std::size_t member : members) parts.push_back(name_parts(names[member]));
  return parts;
}

/// The name with a star for each run that varies.
std::string glob_of(std::span<const NameParts> parts) {
  const std::vector<std::size_t> varying = varying_runs(parts);
  std::string glob;
  for (std::size_t i = 0; i < parts.front().texts.size(); ++i) {
    glob += parts.front().texts[i];
    if (i == parts.front().runs.size()) break;
    glob += std::ranges::find(varying, i) != varying.end() ? "*" : std::string(parts.front().runs[i]);
  }
  return glob;
}

Fault ambiguous(std::span<const NameGroup> groups) {
  std::vector<std::string> counts;
  for (const NameGroup& group : groups) {
    if (group.members.size() > 1) counts.push_back(fmt::format("{} ({})", escape(group.glob), group.members.size()));
  }
  return make_fault("paths.ambiguous", fmt::format("{} name patterns are here: {}", counts.size(), joined(counts)),
                    "Give one of them as a glob.");
}

Fault no_numbering(std::size_t count) {
  return make_fault("names.pattern",
                    fmt::format("{} have no number in common that tells their order",
                                counted(static_cast<std::int64_t>(count), "name")),
                    "List the files in their order, or set " + named(Option::order, "given") + ".");
}

Fault several_numbers(const NameGroup& group, std::size_t varying) {
  return make_fault(
      "names.pattern", fmt::format("{} numbers vary in {}", varying, escape(group.glob)),
      fmt::format("Give a glob in which one number varies, write a manifest, or set {} to sort by all of them.",
                  named(Option::order, "numeric")));
}

Fault stray(const std::string& name, const std::string& glob) {
  Fault fault =
      make_fault("names.stray", fmt::format("the name does not fit {}", escape(glob)),
                 fmt::format("Move it away, give a narrower glob, or name it with {}.", named(Option::ignore)));
  fault.path = name;
  return fault;
}

Positions sorted_by_name(std::span<const std::string> names) {
  Positions order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return std::tie(names[a], a) < std::tie(names[b], b); });
  return order;
}

/// Positions sorted by all their numbers, then by text.
Positions sorted_by_numbers(std::span<const std::string> names, Positions members) {
  const std::vector<NameParts> parts = parts_of(names, members);
  Positions at(members.size());
  std::iota(at.begin(), at.end(), std::size_t{0});
  std::ranges::sort(at, [&](std::size_t a, std::size_t b) {
    if (numeric_less(parts[a], parts[b])) return true;
    if (numeric_less(parts[b], parts[a])) return false;
    return std::tie(names[members[a]], a) < std::tie(names[members[b]], b);
  });
  Positions sorted;
  for (const std::size_t i : at) sorted.push_back(members[i]);
  return sorted;
}

/// One group whose names have more than one number that varies.
void order_by_all(std::span<const std::string> names, const NameGroup& group, std::size_t varying, Order order,
                  NameOrder& out) {
  out.order = sorted_by_numbers(names, group.members);
  Fault fault = several_numbers(group, varying);
  if (order != Order::numeric) {
    out.faults.push_back(std::move(fault));
    return;
  }
  fault.message += "; sorted by all of them, holes are not seen";
  fault.remedy = "Write a manifest: " + named(Option::record, "DIR") + ".";
  out.warnings.push_back(std::move(fault));
}

void order_group(std::span<const std::string> names, const NameGroup& group, const NameRules& rules, NameOrder& out) {
  const std::vector<NameParts> parts = parts_of(names, group.members);
  const std::vector<std::size_t> varying = varying_runs(parts);
  if (varying.size() != 1) return order_by_all(names, group, varying.size(), rules.order, out);
  number(names, group.members, varying.front(), rules, out);
}

}  // namespace

std::vector<NameGroup> group_names(std::span<const std::string> names) {
  std::map<std::string, Positions> by_key;
  for (std::size_t i = 0; i < names.size(); ++i) by_key[text_key(name_parts(names[i]))].push_back(i);
  std::vector<NameGroup> groups;
  groups.reserve(by_key.size());
  for (auto& [key, members] : by_key) {
    std::string glob = glob_of(parts_of(names, members));
    groups.push_back({std::move(glob), std::move(members)});
  }
  std::ranges::sort(groups, [](const NameGroup& a, const NameGroup& b) {
    return a.members.size() != b.members.size() ? a.members.size() > b.members.size() : a.glob < b.glob;
  });
  return groups;
}

NameOrder order_names(std::span<const std::string> names, const NameRules& rules) {
  NameOrder out;
  if (names.empty()) return out;
  if (rules.order == Order::given) {
    out.order = sorted_by_name(names);
    if (names.size() == 1) out.pattern = names.front();
    return out;
  }
  const std::vector<NameGroup> groups = group_names(names);
  if (names.size() == 1) {
    single(names, out);
  } else if (groups.front().members.size() == 1) {
    out.faults.push_back(no_numbering(names.size()));
  } else if (groups.size() > 1 && groups[1].members.size() > 1) {
    out.faults.push_back(ambiguous(groups));
  } else {
    order_group(names, groups.front(), rules, out);
    for (const NameGroup& other : std::span(groups).subspan(1)) {
      out.faults.push_back(stray(names[other.members.front()], groups.front().glob));
    }
  }
  return out;
}

NameOrder order_list(std::span<const std::string> names, Order order) {
  NameOrder out;
  out.order.resize(names.size());
  std::iota(out.order.begin(), out.order.end(), std::size_t{0});
  if (names.size() == 1) out.pattern = names.front();
  if (names.size() < 2) return out;
  const std::vector<NameGroup> groups = group_names(names);
  const std::vector<NameParts> parts = parts_of(names, groups.front().members);
  const bool one_pattern = groups.size() == 1 && varying_runs(parts).size() == 1;
  if (order == Order::numeric) {
    if (groups.size() > 1) out.faults.push_back(no_numbering(names.size()));
    if (groups.size() == 1) out.order = sorted_by_numbers(names, groups.front().members);
  }
  if (!one_pattern) return out;
  const Positions numeric = sorted_by_numbers(names, groups.front().members);
  if (order == Order::automatic && std::ranges::is_sorted(names) && numeric != out.order) {
    out.warnings.push_back(reordered(names, numeric));
    out.order = numeric;
  }
  describe_list(names, varying_runs(parts).front(), out);
  return out;
}

}  // namespace loadstone::loader
