// Assemble: from what was found and scanned to the dataset and one report of all its faults. Pure: the same on every
// rank and for every rank count.
#pragma once

#include "loader/found.hpp"
#include "loader/scan.hpp"

#include <loadstone/dataset.hpp>
#include <loadstone/options.hpp>

#include <optional>
#include <vector>

namespace loadstone::loader {

/// A dataset as far as it is sound, and everything that is wrong with it.
struct Survey {
  Dataset dataset;            ///< a shard with a fault keeps its place, with 0 rows if its header is at fault
  std::vector<Fault> faults;  ///< the report of discover, in its order; empty: the dataset can be loaded
  std::vector<bool> sound;    ///< one a shard: no fault is its own, so it can be read
};

/// Whether a manifest states what must be there, or is about to be replaced by what is there: then it gives its
/// generation, and the order where names do not tell it.
enum class Manifests : std::uint8_t { follow, renew };

/// @param scanned  one record for each file that was found
/// @param cast     the type that the result is asked for
Survey assemble(Found found, Scanned scanned, const OpenOptions& options, const std::optional<DType>& cast,
                Manifests manifests = Manifests::follow);

/// xxh3-128 of everything that decides what a load gives: names (not directories), sizes, layout, order.
std::string digest_of(const Dataset& dataset);

}  // namespace loadstone::loader
