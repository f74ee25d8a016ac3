// Datasets in memory for tests of the planner: every element is its own global index, stored as its shard says.
#pragma once

#include "core/transfer.hpp"
#include "plan/planner.hpp"
#include "support/seed.hpp"

#include <loadstone/dataset.hpp>
#include <loadstone/options.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace loadstone::test {

using Image = std::vector<std::byte>;  ///< the bytes of a shard's file

inline DType dtype_of(std::string_view text) { return parse_dtype(text).value(); }

/// Shards of so many rows each, C order, native, data at byte 128. Without bytes.
inline Dataset dataset_of(Shape shape, const std::vector<std::int64_t>& rows, const DType& dtype) {
  Dataset dataset;
  dataset.format = "npy";
  dataset.shape = std::move(shape);
  dataset.dtype = dtype;
  dataset.row_index = {0};
  std::int64_t row_elements = 1;
  for (std::size_t axis = 1; axis < dataset.shape.size(); ++axis) row_elements *= dataset.shape[axis];
  for (const std::int64_t count : rows) {
    Shard shard;
    shard.file = static_cast<std::int64_t>(dataset.files.size());
    dataset.files.push_back({"shard_" + std::to_string(dataset.files.size()) + ".npy", {}, {}, {}});
    shard.rows = count;
    shard.data_offset = 128;
    shard.nbytes = count * row_elements * dtype.itemsize;
    shard.dtype = dtype;
    dataset.shards.push_back(shard);
    dataset.row_index.push_back(dataset.row_index.back() + count);
  }
  return dataset;
}

/// Rows of `shards` shards that add up to `total`; some are empty.
inline std::vector<std::int64_t> random_rows(std::mt19937_64& random, std::int64_t total, std::int64_t shards) {
  std::vector<std::int64_t> cuts{0, total};
  for (std::int64_t i = 1; i < shards; ++i) cuts.push_back(pick(random, 0, total));
  std::sort(cuts.begin(), cuts.end());
  std::vector<std::int64_t> rows;
  for (std::size_t i = 1; i < cuts.size(); ++i) rows.push_back(cuts[i] - cuts[i - 1]);
  return rows;
}

inline std::int64_t linear(const Shape& shape, const Shape& index) {
  std::int64_t position = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) position = position * shape[axis] + index[axis];
  return position;
}

/// Calls `use` with every index of a shape, in C order.
template <class Use>
void for_each_index(const Shape& shape, Use use) {
  Shape index(shape.size());
  for (const std::int64_t extent : shape) {
    if (extent == 0) return;
  }
  for (;;) {
    use(index);
    std::size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

inline void store(std::int64_t value, const DType& dtype, std::byte* to) {
  const auto from = reinterpret_cast<const std::byte*>(&value);
  const auto lost = copy_elements(from, dtype_of("i8"), to, dtype.native(), {}, Casting::lossy);
  ASSERT_FALSE(lost.has_value());
  if (!dtype.is_native()) std::reverse(to, to + dtype.itemsize);
}

/// The file of a shard: garbage before the data, then elements that are their own global index.
inline Image image_of(const Dataset& dataset, std::size_t at) {
  const Shard& shard = dataset.shards[at];
  Image image(static_cast<std::size_t>(shard.data_offset + shard.nbytes), std::byte{0xEE});
  Shape shape = dataset.shape;
  if (!shape.empty()) shape.front() = shard.rows;
  for_each_index(shape, [&](Shape index) {
    Shape order = index;
    Shape extents = shape;
    if (shard.order == StorageOrder::f) {
      std::reverse(order.begin(), order.end());
      std::reverse(extents.begin(), extents.end());
    }
    const std::int64_t place = shard.data_offset + linear(extents, order) * shard.dtype.itemsize;
    if (!index.empty()) index.front() += dataset.row_index[at];
    store(linear(dataset.shape, index), shard.dtype, image.data() + place);
  });
  return image;
}

/// The files of a dataset: each holds its shards where they say they are.
inline std::vector<Image> images_of(const Dataset& dataset) {
  std::vector<Image> images(dataset.files.size());
  for (std::size_t at = 0; at < dataset.shards.size(); ++at) {
    const Shard& shard = dataset.shards[at];
    const Image one = image_of(dataset, at);
    Image& image = images[static_cast<std::size_t>(shard.file)];
    if (image.size() < one.size()) image.resize(one.size(), std::byte{0xEE});
    std::copy(one.begin() + shard.data_offset, one.end(), image.begin() + shard.data_offset);
  }
  return images;
}

/// What a rank's tile must hold, by brute force: the global indices of its elements, in C order of the tile.
inline std::vector<std::int64_t> wanted_tile(const plan::Problem& problem, std::int64_t rank) {
  const Distribution& tiles = problem.tiles;
  std::vector<std::vector<std::int64_t>> owned(static_cast<std::size_t>(tiles.ndim()));
  Shape local;
  for (std::size_t axis = 0; axis < owned.size(); ++axis) {
    const auto& selected = problem.selection.axes[axis];
    for (const Interval interval : tiles.intervals(rank, static_cast<std::int64_t>(axis))) {
      for (std::int64_t i = interval.begin; i < interval.end; ++i) {
        owned[axis].push_back(selected.start + i * selected.step);
      }
    }
    local.push_back(static_cast<std::int64_t>(owned[axis].size()));
  }
  std::vector<std::int64_t> values;
  for_each_index(local, [&](const Shape& index) {
    Shape global;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      global.push_back(owned[axis][static_cast<std::size_t>(index[axis])]);
    }
    values.push_back(linear(problem.dataset->shape, global));
  });
  return values;
}

}  // namespace loadstone::test
