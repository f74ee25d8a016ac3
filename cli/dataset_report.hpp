// A dataset in words and in JSON.
#pragma once

#include <loadstone/dataset.hpp>

#include <cstdint>
#include <string>

namespace loadstone::cli {

/// Bytes of all payloads.
std::int64_t payload_bytes(const Dataset& dataset);
/// "run42/shard_{:04}.npy": where the shards are, by the pattern of their names; "b.npy ... a.npy" if they have none.
std::string location_of(const Dataset& dataset);
/// "shard_{:04}.npy: 6 shards, (6020, 256) float32, 5.9 MiB", for other commands' first line.
std::string dataset_line(const Dataset& dataset);
/// The aligned summary that `inspect` prints.
/// @param all_shards  one line a shard after it
std::string dataset_text(const Dataset& dataset, bool all_shards);
/// The "dataset" part of the JSON document.
std::string dataset_json(const Dataset& dataset);

}  // namespace loadstone::cli
