// Times ways of doing the same against each other, so that what else the machine does falls on all of them.
#pragma once

#include <functional>
#include <vector>

namespace bench {

using Way = std::function<void()>;
/// Seconds of one call: a row a way, a column a round.
using Seconds = std::vector<std::vector<double>>;

/// Rounds in which every way is called in turn, rotated by one from round to round, after one that does not count. Each
/// turn is as many calls as take about a millisecond. The clock is the processor time of the calling thread: a
/// neighbour that takes the processor away costs nothing, one that takes memory or cache away costs every way of the
/// round.
Seconds time_rounds(const std::vector<Way>& ways, int rounds);

/// Median and quartiles.
struct Spread {
  double low = 0;
  double middle = 0;
  double high = 0;
};
/// @param values  at least one
Spread spread_of(std::vector<double> values);

/// Round by round: seconds of `way` over those of `other`.
std::vector<double> ratios(const Seconds& seconds, std::size_t way, std::size_t other);

}  // namespace bench
