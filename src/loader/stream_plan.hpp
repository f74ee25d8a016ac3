// How a stream is cut into batches, and how far ahead of its caller it reads.
#pragma once

#include "core/status.hpp"
#include "io/engine.hpp"
#include "loader/tile_plan.hpp"

#include <loadstone/dataset.hpp>
#include <loadstone/options.hpp>
#include <loadstone/selection.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace loadstone::loader {

/// Batches of `batch_rows` of the selected rows, numbered from 0; the last one may have fewer.
struct BatchCuts {
  plan::SelectedAxis rows;  ///< of the dataset
  std::int64_t batch_rows = 1;

  [[nodiscard]] std::int64_t count() const { return rows.count == 0 ? 0 : (rows.count - 1) / batch_rows + 1; }
  /// Rows of the dataset.
  [[nodiscard]] Slice batch(std::int64_t number) const {
    const std::int64_t begin = number * batch_rows;
    return some(begin, std::min(batch_rows, rows.count - begin));
  }
  [[nodiscard]] Slice all() const { return some(0, rows.count); }

 private:
  [[nodiscard]] Slice some(std::int64_t begin, std::int64_t count) const {
    const std::int64_t first = rows.start + begin * rows.step;
    return {first, count == 0 ? first : first + (count - 1) * rows.step + 1, rows.step};
  }
};

/// The options of a load of these rows.
LoadOptions options_of_rows(LoadOptions options, const Slice& rows);

/// What all batches of a stream that reads ahead have in common.
struct StreamPlan {
  std::int64_t ahead = 0;         ///< batches beside the one that the caller uses
  std::int64_t batch_bytes = 0;   ///< of the largest
  std::int64_t bytes_wanted = 0;  ///< of the files, by all batches
  std::int64_t metadata_bytes = 0;
  plan::Budgeting budgeting;  ///< of what is left, for any batch
  InputFiles files;
};

/// Empty where one batch must be read after the other: the budget has no room for two more, or there is only one.
std::optional<StreamPlan> plan_stream(const Dataset& dataset, const LoadOptions& options, const BatchCuts& cuts,
                                      Settings settings);

}  // namespace loadstone::loader
