#include "loader/settings.hpp"

#include "core/kernels.hpp"
#include "core/option_words.hpp"
#include "core/text.hpp"
#include "loader/bytes.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace loadstone::loader {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kMostBudget = 512 * kMiB;  // IO-30
constexpr std::int64_t kMemoryShare = 16;         // IO-30
constexpr double kDefaultDeadline = 300;          // reliability.md A8
constexpr double kLongestDeadline = 86'400;

/// Takes settings one by one: the option, else the variable, else the default; wrong values are collected.
class Settler {
 public:
  explicit Settler(const Environment& environment) : environment_(environment) {}

  /// Where a value came from, and what it is, before it is understood.
  struct Given {
    std::string text;
    std::string origin;  ///< "option", "environment"; empty if nobody said anything
  };

  Given given(std::string option, std::string_view variable) const {
    if (!option.empty()) return {std::move(option), "option"};
    const auto found = environment_.find(variable);
    if (found == environment_.end() || found->second.empty()) return {};
    return {found->second, "environment"};
  }

  /// A wrong value in the environment is an error even where an option hides it (IO-41).
  template <class Parse>
  auto take(std::string_view name, std::string_view variable, std::string option, std::string_view right,
            const Parse& parse) -> decltype(parse(std::string_view())) {
    if (!option.empty()) check_hidden(variable, right, parse);
    const Given value = given(std::move(option), variable);
    if (value.origin.empty()) return std::nullopt;
    auto parsed = parse(std::string_view(value.text));
    if (!parsed) refuse(value.origin == "option" ? name : variable, value.origin, value.text, right);
    origin_[std::string(name)] = value.origin;
    return parsed;
  }

  /// Says where a value came from that was not taken from text.
  void mark(std::string_view name, std::string_view origin) { origin_[std::string(name)] = origin; }

  void print(std::string_view name, std::string value) {
    const auto known = origin_.find(name);
    printed_.push_back({std::string(name), std::move(value), known == origin_.end() ? "default" : known->second});
  }

  std::vector<Fault>& faults() { return faults_; }
  std::vector<Setting> printed() && { return std::move(printed_); }

 private:
  template <class Parse>
  void check_hidden(std::string_view variable, std::string_view right, const Parse& parse) {
    const auto hidden = environment_.find(variable);
    if (hidden == environment_.end() || hidden->second.empty() || parse(std::string_view(hidden->second))) return;
    refuse(variable, "environment", hidden->second, right);
  }

  void refuse(std::string_view name, const std::string& origin, const std::string& text, std::string_view right) {
    Fault fault =
        make_fault(origin == "option" ? "argument" : "environment", fmt::format("{} is '{}'", name, escape(text)),
                   fmt::format("Set {} to {}.", option_of(name) ? named(*option_of(name)) : "it", right));
    fault.item = name;
    fault.wanted = std::string(right);
    fault.got = escape(text);
    faults_.push_back(std::move(fault));
  }

  const Environment& environment_;
  std::map<std::string, std::string, std::less<>> origin_;
  std::vector<Setting> printed_;
  std::vector<Fault> faults_;
};

/// One of a few words.
std::string choose(Settler& settler, std::string_view name, std::string_view variable, const std::string& option,
                   std::initializer_list<std::string_view> choices) {
  const std::string right = fmt::format("one of {}", fmt::join(choices, ", "));
  const auto parse = [&](std::string_view text) {
    const bool known = std::ranges::find(choices, text) != choices.end();
    return known ? std::optional<std::string>(text) : std::nullopt;
  };
  std::string value = settler.take(name, variable, option, right, parse).value_or(std::string(*choices.begin()));
  settler.print(name, value);
  return value;
}

/// A number in a range, in bytes where `bytes`; `unset` where nobody says anything.
struct Range {
  std::int64_t least;
  std::int64_t most;
  bool bytes;
};

std::optional<std::int64_t> number_of_text(std::string_view text, const Range& range) {
  std::optional<std::int64_t> number;
  if (range.bytes) {
    number = bytes_of(text);
  } else {
    std::int64_t plain = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), plain);
    if (error == std::errc{} && end == text.data() + text.size()) number = plain;
  }
  return number && *number >= range.least && *number <= range.most ? number : std::nullopt;
}

std::optional<std::int64_t> count(Settler& settler, std::string_view name, std::string_view variable,
                                  const std::optional<std::int64_t>& option, const Range& range) {
  const std::string right = range.bytes ? fmt::format("bytes, such as 64MiB, from {} to {}", format_bytes(range.least),
                                                      format_bytes(range.most))
                                        : fmt::format("a whole number from {} to {}", range.least, range.most);
  return settler.take(name, variable, option ? fmt::format("{}", *option) : "", right,
                      [&](std::string_view text) { return number_of_text(text, range); });
}

/// 0 stands for "not said" in these options.
std::optional<std::int64_t> unless_zero(std::int64_t option) {
  return option == 0 ? std::nullopt : std::optional(option);
}

std::optional<double> seconds_of(std::string_view text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool right =
      error == std::errc{} && end == text.data() + text.size() && seconds >= 1 && seconds <= kLongestDeadline;
  return right ? std::optional(seconds) : std::nullopt;
}

bool is_class_list(std::string_view text) {
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view entry = text.substr(0, comma);
    const std::size_t equals = entry.rfind('=');
    const std::string_view label = equals == std::string_view::npos ? "" : entry.substr(equals + 1);
    const bool known = label == "local" || label == "memory" || label == "network" || label == "other";
    if (!known || equals == 0) return false;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return true;
}

std::vector<std::string> split_at_colons(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    if (colon > 0) parts.emplace_back(text.substr(0, colon));
    text.remove_prefix(std::min(colon + 1, text.size()));
  }
  return parts;
}

void settle_budget(Settler& settler, const std::optional<std::int64_t>& option, int ranks, const Machine& machine,
                   Settings& settings) {
  const Range range{1, std::int64_t{1} << 60, true};
  const std::optional<std::int64_t> said = count(settler, "budget", "LOADSTONE_BUDGET", option, range);
  const std::int64_t share = machine.available_bytes / kMemoryShare / std::max(1, ranks);
  settings.budget_bytes = said.value_or(std::clamp<std::int64_t>(share, 1, kMostBudget));
  settings.budget_guessed = !said;
  settler.print("budget", fmt::format("{}", settings.budget_bytes));
}

void settle_ways(Settler& settler, const IoOptions& io, io::EngineSettings& engine) {
  engine.backend =
      choose(settler, "io.backend", "LOADSTONE_IO_BACKEND", io.backend, {"auto", "posix", "uring", "mmap", "gds"});
  engine.direct = choose(settler, "io.direct", "LOADSTONE_IO_DIRECT", io.direct, {"auto", "on", "off", "require"});
  engine.mapped = choose(settler, "io.mapped", "LOADSTONE_IO_MAPPED", io.mapped, {"auto", "off"});
  engine.huge_pages =
      choose(settler, "io.huge_pages", "LOADSTONE_IO_HUGE_PAGES", io.huge_pages, {"auto", "off", "hugetlb"});
  engine.page_cache = choose(settler, "io.page_cache", "LOADSTONE_IO_PAGE_CACHE", io.page_cache, {"keep", "spare"});
  engine.landing = choose(settler, "io.landing", "LOADSTONE_IO_LANDING", io.landing, {"auto", "staged"});
  const auto classes = [](std::string_view text) {
    return is_class_list(text) ? std::optional<std::string>(text) : std::nullopt;
  };
  engine.fs_class = settler
                        .take("io.fs_class", "LOADSTONE_IO_FS_CLASS", io.fs_class,
                              "PREFIX=class,... with classes local, memory, network or other", classes)
                        .value_or("");
  settler.print("io.fs_class", engine.fs_class.empty() ? "as the kernel says" : engine.fs_class);
}

void settle_sizes(Settler& settler, const IoOptions& io, const Machine& machine, io::EngineSettings& engine) {
  const auto take = [&](std::string_view name, std::string_view variable, std::int64_t option, Range range) {
    return count(settler, name, variable, unless_zero(option), range);
  };
  const auto print = [&](std::string_view name, std::int64_t value) {
    settler.print(name, value == 0 ? "by file-system class" : fmt::format("{}", value));
  };
  engine.request_bytes =
      take("io.request", "LOADSTONE_IO_REQUEST", io.request_bytes, {std::int64_t{64} * 1024, 64 * kMiB, true})
          .value_or(0);
  print("io.request", engine.request_bytes);
  engine.depth = take("io.depth", "LOADSTONE_IO_DEPTH", io.depth, {1, 512, false}).value_or(0);
  print("io.depth", engine.depth);
  const std::int64_t cores = std::clamp<std::int64_t>(machine.cores / std::max(1, engine.ranks_on_node), 1, 16);
  engine.threads = take("io.threads", "LOADSTONE_IO_THREADS", io.threads, {1, 64, false}).value_or(cores);
  settler.print("io.threads", fmt::format("{}", engine.threads));
  const auto files = take("io.open_files", "LOADSTONE_IO_OPEN_FILES", io.open_files, {2, 1 << 20, false});
  engine.open_files = io::descriptor_pool_size(files.value_or(0));
  settler.print("io.open_files", fmt::format("{}", engine.open_files));
  const auto retries = io.retries < 0 ? std::nullopt : std::optional(io.retries);
  engine.retries = count(settler, "io.retries", "LOADSTONE_IO_RETRIES", retries, {0, 1000, false}).value_or(0);
  settler.print("io.retries", fmt::format("{}", engine.retries));
  engine.file_stats = io.file_stats;
}

void settle_rest(Settler& settler, double deadline_s, const std::optional<IdentityRule>& identity,
                 const std::vector<std::string>& roots, Settings& settings) {
  const std::string deadline = deadline_s == 0 ? "" : fmt::format("{}", deadline_s);
  settings.deadline_s =
      settler.take("deadline_s", "LOADSTONE_DEADLINE", deadline, "seconds from 1 to 86400", seconds_of)
          .value_or(kDefaultDeadline);
  settler.print("deadline_s", fmt::format("{}", settings.deadline_s));
  const std::string rule = !identity ? "" : *identity == IdentityRule::strict ? "strict" : "size_mtime";
  const std::string chosen = choose(settler, "identity", "LOADSTONE_IDENTITY", rule, {"strict", "size_mtime"});
  settings.engine.identity = chosen == "strict" ? IdentityRule::strict : IdentityRule::size_mtime;
  const auto list = [](std::string_view text) { return std::optional(split_at_colons(text)); };
  settings.roots = roots;
  // An option may name a directory with a colon, so it does not pass through the text.
  if (roots.empty())
    settings.roots =
        settler.take("roots", "LOADSTONE_ROOTS", "", "a list with colons", list).value_or(std::vector<std::string>{});
  if (!roots.empty()) settler.mark("roots", "option");
  settler.print("roots", joined(settings.roots, ":"));
}

/// Copy kernels have no option: they are forced to compare them, or around a processor that misbehaves.
void settle_kernels(Settler& settler, io::EngineSettings& engine) {
  std::vector<std::string_view> usable;
  for (const KernelEntry& entry : kernel_table()) {
    if (entry.usable) usable.push_back(entry.name);
  }
  const auto parse = [](std::string_view text) {
    const CopyKernels* const found = find_kernels(text);
    return found == nullptr ? std::nullopt : std::optional(found);
  };
  const std::string right = fmt::format("one of {}", fmt::join(usable, ", "));
  engine.kernels = settler.take("cpu", "LOADSTONE_CPU", "", right, parse).value_or(&best_kernels());
  settler.print("cpu", std::string(engine.kernels->name));
}

}  // namespace

Result<Settings> settle(const IoOptions& io, const std::optional<std::int64_t>& budget_bytes, double deadline_s,
                        const std::optional<IdentityRule>& identity, const std::vector<std::string>& roots,
                        int ranks_on_node, const Environment& environment, const Machine& machine) {
  Settler settler(environment);
  Settings settings;
  settings.engine.ranks_on_node = std::max(1, ranks_on_node);
  settings.most_tile_bytes = std::min(machine.memory_bytes / settings.engine.ranks_on_node, machine.group_bytes);
  settle_budget(settler, budget_bytes, ranks_on_node, machine, settings);
  settle_ways(settler, io, settings.engine);
  settle_sizes(settler, io, machine, settings.engine);
  settle_rest(settler, deadline_s, identity, roots, settings);
  settle_kernels(settler, settings.engine);
  if (!settler.faults().empty()) {
    Failure failure;
    failure.total_faults = static_cast<std::int64_t>(settler.faults().size());
    failure.faults = std::move(settler.faults());
    return failure;
  }
  settings.printed = std::move(settler).printed();
  return settings;
}

Result<Settings> make_settings(const IoOptions& io, const std::optional<std::int64_t>& budget_bytes, double deadline_s,
                               const std::optional<IdentityRule>& identity, const std::vector<std::string>& roots,
                               int ranks_on_node) {
  return settle(io, budget_bytes, deadline_s, identity, roots, ranks_on_node, read_environment(), this_machine());
}

Status fits_machine(std::int64_t tile_bytes, const Settings& settings) {
  if (tile_bytes <= settings.most_tile_bytes) return {};
  const int ranks = settings.engine.ranks_on_node;
  return Fault{.code = Code::out_of_memory,
               .kind = "out_of_memory",
               .message = fmt::format("this rank's tile takes {}; this machine can hold {}{}", format_bytes(tile_bytes),
                                      format_bytes(settings.most_tile_bytes),
                                      ranks == 1 ? "" : fmt::format(" for each of its {} ranks", ranks)),
               .remedy = "Take less at once (a smaller selection, smaller batches of a stream), or use more machines",
               .wanted = tile_bytes,
               .got = settings.most_tile_bytes};
}

}  // namespace loadstone::loader
