// The thresholds of the copy kernels, and the trials that go either way at sizes around each of them.
#pragma once

#include "trial.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// The same copy by both ways.
struct Pair {
  std::int64_t size = 0;
  Trial below;  ///< as sizes below the threshold go
  Trial from;   ///< as sizes from the threshold on go
};

struct Threshold {
  std::string name;
  std::string ways;  ///< what goes below | what goes from there on
  std::int64_t value = 0;
  std::vector<Pair> pairs;  ///< ascending sizes
};

/// Those of a set.
/// @param bytes  of the places
std::vector<Threshold> make_thresholds(std::int64_t bytes, const loadstone::CopyKernels& set);

/// A constant that is the best of some values, not a crossover.
struct Choice {
  std::string name;
  std::int64_t value = 0;
  std::vector<std::int64_t> others;
  std::vector<std::vector<Trial>> trials;  ///< a row a copy; in it the trial with `value`, then those with the others
};

std::vector<Choice> make_choices(std::int64_t bytes);

}  // namespace bench
