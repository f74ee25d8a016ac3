#include "rounds.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace bench {
namespace {

constexpr double kTurnSeconds = 1e-3;

double now() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_per_call(const Way& way, int calls) {
  const double start = now();
  for (int i = 0; i < calls; ++i) way();
  return (now() - start) / calls;
}

}  // namespace

Seconds time_rounds(const std::vector<Way>& ways, int rounds) {
  std::vector<int> calls;
  for (const Way& way : ways) {
    way();
    calls.push_back(static_cast<int>(std::clamp(kTurnSeconds / seconds_per_call(way, 1), 1.0, 1e5)));
  }
  Seconds seconds(ways.size(), std::vector<double>(static_cast<std::size_t>(rounds)));
  for (std::size_t round = 0; round < static_cast<std::size_t>(rounds); ++round) {
    for (std::size_t turn = 0; turn < ways.size(); ++turn) {
      const std::size_t way = (round + turn) % ways.size();
      seconds[way][round] = seconds_per_call(ways[way], calls[way]);
    }
  }
  return seconds;
}

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], place - static_cast<double>(below));
  };
  return {at(0.25), at(0.5), at(0.75)};
}

std::vector<double> ratios(const Seconds& seconds, std::size_t way, std::size_t other) {
  std::vector<double> quotients;
  for (std::size_t round = 0; round < seconds[way].size(); ++round) {
    quotients.push_back(seconds[way][round] / seconds[other][round]);
  }
  return quotients;
}

}  // namespace bench
