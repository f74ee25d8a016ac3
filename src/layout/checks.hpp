// What makes a layout invalid, as lists of faults: everything that is wrong with one input comes together (AR-A11).
// All are `bad_argument`. Nothing here allocates in proportion to a number that the input only states.
#pragma once

#include <loadstone/distribution.hpp>
#include <loadstone/error.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loadstone::layout {

using Faults = std::vector<Fault>;

inline constexpr std::int64_t kMaxAxes = 64;

[[nodiscard]] Fault bad_layout(std::string kind, std::string message, std::string remedy);

/// Extents are not negative, at most 64, and their product (zeros apart) fits 63 bits. Kind "layout.shape".
[[nodiscard]] Faults check_shape(std::span<const std::int64_t> shape);
/// At least one. Kind "layout.ranks".
[[nodiscard]] Faults check_ranks(std::int64_t ranks);
/// In [-ndim, ndim); anything for ndim 0. Kind "split", with wanted and got.
[[nodiscard]] Faults check_axis(std::int64_t axis, std::int64_t ndim);
/// Not negative, sum equal to the extent, and as many as `ranks` if given. Kind "tiles.map", with wanted and got.
[[nodiscard]] Faults check_counts(std::span<const std::int64_t> lengths, std::int64_t extent,
                                  std::optional<std::int64_t> ranks);
/// Parts + 1 values from 0 to the extent that never decrease. Kind "tiles.map".
[[nodiscard]] Faults check_cuts(std::span<const std::int64_t> offsets, std::int64_t extent,
                                std::optional<std::int64_t> parts);
/// At least one. Kind "layout.block".
[[nodiscard]] Faults check_block(std::int64_t block);
/// Dims of at least 1 whose product fits, an order that is a permutation. Kind "layout.mesh".
[[nodiscard]] Faults check_mesh(const Mesh& mesh);
/// One rule an axis over known mesh axes, none named twice, each rule valid for its extent. The mesh is valid.
[[nodiscard]] Faults check_rules(std::span<const std::int64_t> shape, const Mesh& mesh,
                                 std::span<const AxisRule> rules);

/// Throws Error with all faults, if there are any.
void throw_if_any(Faults faults);
/// Appends.
void add(Faults& all, Faults more);

}  // namespace loadstone::layout
