// The reference: which dtype and trailing shape the shards should have, and which shards differ from it. Pure.
#pragma once

#include "loader/found.hpp"
#include "loader/scan.hpp"

#include <loadstone/dtype.hpp>
#include <loadstone/error.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loadstone::loader {

struct Reference {
  DType dtype;
  Shape trailing_shape;
  bool scalar = false;  ///< a single 0-d shard
  std::string set_by;   ///< "majority", "manifest", "sidecar", "argument"
};

/// Manifest, sidecar or arguments where they state it; else that of most sound shards with at least one axis (a tie:
/// the one of the lowest shard). Empty if no shard is sound and nothing is stated.
std::optional<Reference> choose_reference(const Found& found, const Scanned& scanned);

/// Faults shard.ndim, .trailing_shape, .dtype, .scalar, .rows of the sound shards, with shard and path.
/// @param cast  a type that is asked for: types that cast to it are then no fault, unless manifest or sidecar differ
std::vector<Fault> compare_with_reference(const Found& found, const Scanned& scanned, const Reference& reference,
                                          const std::optional<DType>& cast);

}  // namespace loadstone::loader
