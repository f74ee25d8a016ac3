#include "crossover.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace bench {
namespace {

using Pick = double Spread::*;

/// The first size from which on the quotient stays above 1, between its neighbours by a straight line over logarithms.
std::optional<double> crossing(const std::vector<Point>& points, Pick pick) {
  std::optional<double> found;
  for (std::size_t i = points.size(); i-- > 1;) {
    const double before = std::log(spread_of(points[i - 1].quotients).*pick);
    const double after = std::log(spread_of(points[i].quotients).*pick);
    if (before >= 0 || after < 0) continue;
    const double share = before / (before - after);
    found = std::exp(std::lerp(std::log(points[i - 1].size), std::log(points[i].size), share));
    break;
  }
  return found;
}

double edge(const std::vector<Point>& points) {
  const bool below_wins = spread_of(points.back().quotients).middle < 1;
  return below_wins ? points.back().size : points.front().size;
}

/// Geometric mean, over sizes of one side, of the time of the way chosen there over that of the better way.
template <class Cost>
double mean_cost(const std::vector<Point>& points, double from, double to, const Cost& cost) {
  double sum = 0;
  int n = 0;
  for (const Point& point : points) {
    if (point.size < from || point.size >= to) continue;
    sum += std::log(std::max(1.0, cost(spread_of(point.quotients))));
    ++n;
  }
  return n == 0 ? 1 : std::exp(sum / n);
}

}  // namespace

Crossover judge(const std::vector<Point>& points, double threshold) {
  Crossover result;
  const std::optional<double> middle = crossing(points, &Spread::middle);
  result.found = middle.has_value();
  result.at.middle = middle.value_or(edge(points));
  // Where the way from the threshold on looks better than it is, the crossing comes earlier.
  result.at.low = std::min(crossing(points, &Spread::high).value_or(result.at.middle), result.at.middle);
  result.at.high = std::max(crossing(points, &Spread::low).value_or(result.at.middle), result.at.middle);
  const double end = threshold * 2 + 1;
  result.cost_below = mean_cost(points, threshold / 2, threshold, [](const Spread& spread) { return spread.low; });
  result.cost_from = mean_cost(points, threshold, end, [](const Spread& spread) { return 1 / spread.high; });
  result.off = std::max(result.cost_below, result.cost_from) > kMostCost;
  return result;
}

}  // namespace bench
