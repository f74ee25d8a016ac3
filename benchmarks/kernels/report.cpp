#include "report.hpp"

#include <fmt/format.h>

#include "core/kernels.hpp"

namespace bench {

std::string size_text(double bytes) {
  const char* unit = "B";
  for (const char* const next : {"KiB", "MiB", "GiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = next;
  }
  return fmt::format("{:.3g} {}", bytes, unit);
}

std::string spread_text(const Spread& spread) {
  return fmt::format("{:.2f} ({:.2f}-{:.2f})", spread.middle, spread.low, spread.high);
}

void print_machine(std::span<const std::string_view> sets) {
  fmt::print("Sets that this processor runs: {}. stream_total_bytes() is {}.\n\n", fmt::join(sets, ", "),
             size_text(static_cast<double>(loadstone::stream_total_bytes())));
}

void print_case_head(std::span<const std::string_view> sets) {
  fmt::print("Time over that of memcpy of the same bytes: median of the rounds, quartiles\n");
  fmt::print("{:48} {:>10} {:>12}", "case", "aim", "memcpy GB/s");
  for (const std::string_view set : sets) fmt::print(" {:>18}", set);
  fmt::print("\n");
}

void print_case(std::string_view name, std::string_view aim, const Spread& memcpy_rate,
                std::span<const Spread> of_sets) {
  fmt::print("{:48} {:>10} {:>12.1f}", name, aim, memcpy_rate.middle / 1e9);
  for (const Spread& spread : of_sets) fmt::print(" {:>18}", spread_text(spread));
  fmt::print("\n");
}

void print_threshold_head() {
  fmt::print(
      "\nThresholds: the size from which on the second way is faster, and what the constant costs around itself\n");
  fmt::print("{:21} {:45} {:8} {:>9} {:>31} {:>6} {:>6}\n", "constant", "below | from there on", "set", "value",
             "crossover", "below", "from");
}

void print_threshold(const Threshold& threshold, std::string_view set, const Crossover& crossover) {
  const std::string at = fmt::format("{}{} ({}-{})", crossover.found ? "" : "none, ", size_text(crossover.at.middle),
                                     size_text(crossover.at.low), size_text(crossover.at.high));
  fmt::print("{:21} {:45} {:8} {:>9} {:>31} {:>6.2f} {:>6.2f}{}\n", threshold.name, threshold.ways, set,
             size_text(static_cast<double>(threshold.value)), at, crossover.cost_below, crossover.cost_from,
             crossover.off ? "  OFF" : "");
}

void print_choice(const Choice& choice, std::string_view set, std::span<const double> costs, bool off) {
  std::string against;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    against +=
        fmt::format("{}{:.2f} of {}", i == 0 ? "" : ", ", costs[i], size_text(static_cast<double>(choice.others[i])));
  }
  fmt::print("{:21} {:45} {:8} {:>9} {:>31}{}\n", choice.name, "time over that of other values", set,
             size_text(static_cast<double>(choice.value)), against, off ? "  OFF" : "");
}

}  // namespace bench
