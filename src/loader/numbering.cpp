#include "loader/numbering.hpp"

#include "core/option_words.hpp"
#include "core/text.hpp"
#include "loader/digits.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace loadstone::loader {
namespace {

constexpr std::size_t kRangesShown = 20;

/// One name of the pattern.
struct Numbered {
  std::size_t position = 0;  ///< among all names
  NameParts parts;
  std::int64_t index = 0;
};

/// The names of one pattern with the run that numbers them.
struct Series {
  std::vector<Numbered> members;  ///< by index, each once
  std::size_t run = 0;
  std::size_t width = 0;

  [[nodiscard]] std::string name(std::int64_t index) const {
    return name_with(members.front().parts, run, index, width);
  }
  /// Without the extension, as holes are told.
  [[nodiscard]] std::string stem(std::int64_t index) const {
    const std::string full = name(index);
    return full.substr(0, full.find_last_of('.'));
  }
  [[nodiscard]] std::int64_t first() const { return members.front().index; }
  [[nodiscard]] std::int64_t last() const { return members.back().index; }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(members.size()); }
};

std::vector<std::string_view> runs_of(const Series& series) {
  std::vector<std::string_view> runs;
  for (const Numbered& member : series.members) runs.push_back(member.parts.runs[series.run]);
  return runs;
}

/// "-of-00003" after the run: the count it states.
std::optional<std::int64_t> stated_count(const NameParts& parts, std::size_t run) {
  if (run + 1 >= parts.runs.size()) return std::nullopt;
  std::string_view text = parts.texts[run + 1];
  while (!text.empty() && std::string_view("-_.").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  if (!text.ends_with("of")) return std::nullopt;
  text.remove_suffix(2);
  if (!text.empty() && std::string_view("-_.").find(text.back()) == std::string_view::npos) return std::nullopt;
  return number_of(parts.runs[run + 1]);
}

/// Empty if a number has more than 18 digits.
std::optional<Series> make_series(std::span<const std::string> names, const std::vector<std::size_t>& members,
                                  std::size_t run) {
  Series series{{}, run, 0};
  for (const std::size_t member : members) {
    Numbered numbered{member, name_parts(names[member]), 0};
    const std::optional<std::int64_t> index = number_of(numbered.parts.runs[run]);
    if (!index) return std::nullopt;
    numbered.index = *index;
    series.members.push_back(std::move(numbered));
  }
  std::ranges::sort(series.members, [&](const Numbered& a, const Numbered& b) {
    return std::tie(a.index, names[a.position], a.position) < std::tie(b.index, names[b.position], b.position);
  });
  return series;
}

void drop_duplicates(std::span<const std::string> names, Series& series, std::vector<Fault>& faults) {
  std::vector<Numbered> once;
  for (Numbered& member : series.members) {
    if (once.empty() || once.back().index != member.index) {
      once.push_back(std::move(member));
      continue;
    }
    Fault fault = make_fault("names.duplicate",
                             fmt::format("number {} is there twice: {} and {}", member.index,
                                         escape(names[once.back().position]), escape(names[member.position])),
                             "Keep one of them, or list the files wanted.");
    fault.path = names[member.position];
    faults.push_back(std::move(fault));
  }
  series.members = std::move(once);
}

void settle_width(std::span<const std::string> names, Series& series, std::vector<Fault>& warnings) {
  const std::vector<std::string_view> runs = runs_of(series);
  const std::optional<std::size_t> width = width_of(runs);
  const auto shorter = [](std::string_view a, std::string_view b) { return a.size() < b.size(); };
  series.width = width.value_or(std::ranges::min_element(runs, shorter)->size());
  if (width) return;
  std::vector<std::string> examples;
  std::vector<std::size_t> seen;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (std::ranges::find(seen, runs[i].size()) != seen.end()) continue;
    seen.push_back(runs[i].size());
    examples.push_back(escape(names[series.members[i].position]));
  }
  warnings.push_back(make_fault("names.width", fmt::format("numbers have different widths: {}", joined(examples)),
                                "Check that these shards belong together, or rename them to one width."));
}

/// What is missing below the first number.
void check_first(const Series& series, std::int64_t wanted, std::vector<Fault>& faults) {
  const std::int64_t first = series.first();
  if (first == wanted) return;
  const std::string absent = first > wanted ? fmt::format(": {} is missing", escape(series.name(wanted))) : "";
  Fault fault = make_fault("names.first_index", fmt::format("numbering starts at {}, not {}{}", first, wanted, absent),
                           fmt::format("Bring the missing shards back, or set {}.", named(Option::first_index, first)));
  fault.path = series.name(wanted);
  fault.wanted = wanted;
  fault.got = first;
  faults.push_back(std::move(fault));
}

/// Ranges of numbers in [from, to) that no name has, as text.
std::vector<std::string> missing_ranges(const Series& series, std::int64_t from, std::int64_t to) {
  std::vector<std::string> ranges;
  const auto add = [&](std::int64_t begin, std::int64_t end) {
    if (end == begin + 1) ranges.push_back(escape(series.stem(begin)));
    if (end > begin + 1) ranges.push_back(escape(series.stem(begin)) + ".." + escape(series.stem(end - 1)));
  };
  std::int64_t next = from;
  for (const Numbered& member : series.members) {
    add(next, std::min(member.index, to));
    next = std::max(next, member.index + 1);
  }
  add(next, to);
  return ranges;
}

/// One fault for all numbers in [from, to) that are missing; empty if none is.
std::optional<Fault> hole(const Series& series, std::int64_t from, std::int64_t to) {
  const auto inside = [&](const Numbered& member) { return member.index >= from && member.index < to; };
  const std::int64_t found = std::ranges::count_if(series.members, inside);
  if (found == to - from) return std::nullopt;
  std::vector<std::string> ranges = missing_ranges(series, from, to);
  if (ranges.size() > kRangesShown) {
    const std::size_t more = ranges.size() - kRangesShown;
    ranges.resize(kRangesShown);
    ranges.push_back(fmt::format("and {}", counted(static_cast<std::int64_t>(more), "more range")));
  }
  Fault fault =
      make_fault("names.hole", fmt::format("{}; {} missing of {}", joined(ranges), to - from - found, to - from),
                 "Bring the missing shards back, or list the files wanted.");
  fault.wanted = to - from;
  fault.got = found;
  return fault;
}

/// "-of-N" settles how many there must be, and whether they start at 0 or 1.
void check_count(const Series& series, const NameRules& rules, std::int64_t count, std::vector<Fault>& faults) {
  const std::int64_t guess = series.first() == 0 ? 0 : 1;
  const std::int64_t first = rules.first_index.value_or(rules.any_first_index ? series.first() : guess);
  const bool beyond = series.first() < first || series.last() - first >= count;
  if (!beyond) {
    std::optional<Fault> fault = hole(series, first, first + count);
    if (fault) faults.push_back(std::move(*fault));
    return;
  }
  Fault fault = make_fault("complete.count",
                           fmt::format("the names state {}, numbers {} to {} are there", counted(count, "shard"),
                                       series.first(), series.last()),
                           "Remove the files of another run, or list the files wanted.");
  fault.wanted = count;
  fault.got = series.size();
  fault.set_by = "names";
  faults.push_back(std::move(fault));
}

void check_numbers(const Series& series, const NameRules& rules, NameOrder& out) {
  out.stated_count = stated_count(series.members.front().parts, series.run);
  if (out.stated_count) return check_count(series, rules, *out.stated_count, out.faults);
  if (!rules.any_first_index) check_first(series, rules.first_index.value_or(0), out.faults);
  std::optional<Fault> fault = hole(series, series.first(), series.last() + 1);
  if (fault) out.faults.push_back(std::move(*fault));
}

}  // namespace

void number(std::span<const std::string> names, const std::vector<std::size_t>& members, std::size_t run,
            const NameRules& rules, NameOrder& out) {
  std::optional<Series> series = make_series(names, members, run);
  if (!series) {
    out.faults.push_back(make_fault("names.pattern", "a number in the names has more than 18 digits",
                                    "List the files in their order, or set " + named(Option::order, "given") + "."));
    return;
  }
  drop_duplicates(names, *series, out.faults);
  settle_width(names, *series, out.warnings);
  check_numbers(*series, rules, out);
  for (const Numbered& member : series->members) out.order.push_back(member.position);
  out.pattern = pattern_with(series->members.front().parts, run, series->width);
  out.settled = true;
}

void single(std::span<const std::string> names, NameOrder& out) {
  out.order = {0};
  out.pattern = names.front();
  const NameParts parts = name_parts(names.front());
  for (std::size_t run = 0; run < parts.runs.size(); ++run) {
    if (!stated_count(parts, run)) continue;
    std::optional<Series> series = make_series(names, out.order, run);
    if (!series) return;
    series->width = parts.runs[run].size();
    out.stated_count = stated_count(parts, run);
    check_count(*series, {}, *out.stated_count, out.faults);
    return;
  }
}

void describe_list(std::span<const std::string> names, std::size_t run, NameOrder& out) {
  std::optional<Series> series = make_series(names, out.order, run);
  if (!series) return;
  std::vector<Fault> unused;
  drop_duplicates(names, *series, unused);
  settle_width(names, *series, out.warnings);
  out.pattern = pattern_with(series->members.front().parts, run, series->width);
  std::optional<Fault> fault = hole(*series, series->first(), series->last() + 1);
  out.settled = !fault && unused.empty();
  if (!fault) return;
  fault->remedy = "Add the missing files to the list if they are wanted.";
  out.warnings.push_back(std::move(*fault));
}

Fault reordered(std::span<const std::string> names, const std::vector<std::size_t>& numeric) {
  std::size_t at = 0;
  while (numeric[at] == at) ++at;
  Fault fault = make_fault("names.reordered",
                           fmt::format("the list was in string order; it is read in numeric order, {} before {}",
                                       escape(names[numeric[at]]), escape(names[at])),
                           "Set " + named(Option::order, "given") + " to keep the order of the list.");
  fault.path = names[numeric[at]];
  return fault;
}

}  // namespace loadstone::loader
