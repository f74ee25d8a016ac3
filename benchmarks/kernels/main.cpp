// kernels [--rounds N] [--only TEXT]: what the copy kernels take beside memcpy, and whether the thresholds between them
// stand where this machine wants them; of those alone whose name has TEXT in it. Exit code 1: a threshold is off.
// kernels --smoke: every case on small data, without a clock. Exit code 1: bytes are wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cases.hpp"
#include "core/kernels.hpp"
#include "report.hpp"
#include "rounds.hpp"
#include "thresholds.hpp"
#include "trial.hpp"

namespace {

using loadstone::CopyKernels;

// Twice what most last-level caches hold for one core.
constexpr std::int64_t kBytes = std::int64_t{64} << 20;
constexpr std::int64_t kSmokeBytes = std::int64_t{128} << 10;
constexpr int kRounds = 9;

std::vector<const CopyKernels*> usable_sets() {
  std::vector<const CopyKernels*> sets;
  for (const loadstone::KernelEntry& entry : loadstone::kernel_table()) {
    if (entry.usable) sets.push_back(entry.kernels);
  }
  return sets;
}

std::vector<std::string_view> names_of(const std::vector<const CopyKernels*>& sets) {
  std::vector<std::string_view> names;
  for (const CopyKernels* const set : sets) names.push_back(set->name);
  return names;
}

class Run {
 public:
  Run(std::int64_t bytes, int rounds, std::string only)
      : bytes_(bytes), rounds_(rounds), only_(std::move(only)), places_(bench::make_places(bytes)) {}

  void measure_cases() const {
    bench::print_case_head(names_of(sets_));
    for (const bench::Case& one : bench::make_cases(bytes_, true)) {
      if (is_wanted(one.name)) measure(one);
    }
  }

  /// Whether one is off. The plain set has one way only.
  [[nodiscard]] bool thresholds_are_off() const {
    bool off = false;
    bench::print_threshold_head();
    for (const CopyKernels* const set : sets_) {
      if (set->name == "generic") continue;
      for (const bench::Threshold& threshold : bench::make_thresholds(bytes_, *set)) {
        off |= is_wanted(threshold.name) && is_off(threshold, *set);
      }
      for (const bench::Choice& choice : bench::make_choices(bytes_))
        off |= is_wanted(choice.name) && is_off(choice, *set);
    }
    return off;
  }

  /// Every trial once by every set, without a clock.
  [[nodiscard]] bool bytes_are_right() const {
    bool right = true;
    for (const bench::Case& one : bench::make_cases(bytes_, false)) right &= is_right(one.name, one.trial);
    for (const CopyKernels* const set : sets_) {
      for (const bench::Threshold& threshold : bench::make_thresholds(bytes_, *set)) {
        for (const bench::Pair& pair : threshold.pairs) {
          right &= is_right(threshold.name, pair.below, *set) && is_right(threshold.name, pair.from, *set);
        }
      }
    }
    for (const bench::Choice& choice : bench::make_choices(bytes_)) {
      for (const auto& row : choice.trials) {
        for (const bench::Trial& trial : row) right &= is_right(choice.name, trial);
      }
    }
    return right;
  }

 private:
  [[nodiscard]] bool is_wanted(std::string_view name) const { return name.find(only_) != std::string_view::npos; }

  [[nodiscard]] bench::Way way_of(const bench::Trial& trial, const CopyKernels& set) const {
    return [this, &trial, &set] { bench::carry_out(trial, places_, set); };
  }

  void measure(const bench::Case& one) const {
    const auto bytes = static_cast<std::size_t>(bench::payload_bytes(one.trial));
    std::vector<bench::Way> ways = {
        [this, bytes] { std::memcpy(places_.target.bytes().data(), places_.source.bytes().data(), bytes); }};
    for (const CopyKernels* const set : sets_) ways.push_back(way_of(one.trial, *set));
    const bench::Seconds seconds = bench::time_rounds(ways, rounds_);
    std::vector<bench::Spread> of_sets;
    for (std::size_t way = 1; way < ways.size(); ++way) {
      of_sets.push_back(bench::spread_of(bench::ratios(seconds, way, 0)));
    }
    std::vector<double> rates = seconds[0];
    for (double& rate : rates) rate = static_cast<double>(bytes) / rate;
    bench::print_case(one.name, one.aim, bench::spread_of(rates), of_sets);
  }

  [[nodiscard]] bool is_off(const bench::Threshold& threshold, const CopyKernels& set) const {
    std::vector<bench::Point> points;
    for (const bench::Pair& pair : threshold.pairs) {
      const bench::Seconds seconds = bench::time_rounds({way_of(pair.below, set), way_of(pair.from, set)}, rounds_);
      points.push_back({static_cast<double>(pair.size), bench::ratios(seconds, 0, 1)});
    }
    const bench::Crossover crossover = bench::judge(points, static_cast<double>(threshold.value));
    bench::print_threshold(threshold, set.name, crossover);
    return crossover.off;
  }

  /// The geometric mean, over the copies, of the time beside each other value.
  [[nodiscard]] bool is_off(const bench::Choice& choice, const CopyKernels& set) const {
    std::vector<double> sums(choice.others.size(), 0.0);
    for (const auto& row : choice.trials) {
      std::vector<bench::Way> ways;
      for (const bench::Trial& trial : row) ways.push_back(way_of(trial, set));
      const bench::Seconds seconds = bench::time_rounds(ways, rounds_);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += std::log(bench::spread_of(bench::ratios(seconds, 0, i + 1)).low);
      }
    }
    for (double& sum : sums) sum = std::exp(sum / static_cast<double>(choice.trials.size()));
    const bool off = *std::max_element(sums.begin(), sums.end()) > bench::kMostCost;
    bench::print_choice(choice, set.name, sums, off);
    return off;
  }

  [[nodiscard]] bool is_right(std::string_view name, const bench::Trial& trial) const {
    return std::all_of(sets_.begin(), sets_.end(), [&](const CopyKernels* set) { return is_right(name, trial, *set); });
  }
  [[nodiscard]] bool is_right(std::string_view name, const bench::Trial& trial, const CopyKernels& set) const {
    const std::string fault = bench::fault_of(trial, places_, set);
    if (!fault.empty()) fmt::print("{}: {}\n", name, fault);
    return fault.empty();
  }

  std::int64_t bytes_;
  int rounds_;
  std::string only_;
  bench::Places places_;
  std::vector<const CopyKernels*> sets_ = usable_sets();
};

struct Arguments {
  bool smoke = false;
  int rounds = kRounds;
  std::string only;
};

Arguments parse(std::span<char*> words) {
  Arguments arguments;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const bool has_value = i + 1 < words.size();
    if (word == "--smoke") {
      arguments.smoke = true;
    } else if (word == "--rounds" && has_value) {
      arguments.rounds = std::max(1, std::atoi(words[++i]));
    } else if (word == "--only" && has_value) {
      arguments.only = words[++i];
    } else {
      throw std::invalid_argument(fmt::format("{}: not one of --smoke, --rounds N, --only TEXT", word));
    }
  }
  return arguments;
}

int measure(const Arguments& arguments) {
  const Run run(kBytes, arguments.rounds, arguments.only);
  bench::print_machine(names_of(usable_sets()));
  run.measure_cases();
  if (!run.thresholds_are_off()) return 0;
  fmt::print(
      "\nA threshold that is off chooses a way that takes more than {} times as long as the other, on one side of it.\n"
      "docs/tuning.md says what to do.\n",
      bench::kMostCost);
  return 1;
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments = parse({argv, static_cast<std::size_t>(argc)});
  if (!arguments.smoke) return measure(arguments);
  return Run(kSmokeBytes, 1, "").bytes_are_right() ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "kernels: {}\n", error.what());
  return 2;
}
