// From times of two ways at several sizes to the size where one overtakes the other, and what a wrong threshold costs.
#pragma once

#include "rounds.hpp"

#include <vector>

namespace bench {

/// Two ways at one size: `quotients` are seconds of the way below the threshold over seconds of the way from it on.
struct Point {
  double size = 0;
  std::vector<double> quotients;  ///< one a round
};

/// What was found about one threshold.
struct Crossover {
  Spread at;              ///< where the ways take the same time: by medians, and by both quartiles of the rounds
  bool found = false;     ///< false: one way is the better one at every size, the edge of the sizes stands for `at`
  double cost_below = 1;  ///< time of the way chosen below the threshold over that of the better way
  double cost_from = 1;   ///< the same from the threshold on
  bool off = false;
};

// A threshold is off by more than 25 % if what it chooses takes 1.25 times as long as the better way.
inline constexpr double kMostCost = 1.25;

/// Judges a threshold by what it costs, not by how far it is from the crossover: where both ways take the same time,
/// any place will do. Costs are geometric means over the sizes within a factor of two on either side. Each size counts
/// with the quartile of its rounds that is kinder to the threshold, so that a neighbour's burst cannot fail it, and
/// only a cost that most rounds show can.
/// @param points  ascending sizes, at least one of them within a factor of two below the threshold and one from it on
Crossover judge(const std::vector<Point>& points, double threshold);

}  // namespace bench
