// Chains: shards that follow one another in one file as they do in the array. They are read as one, so that neighbours
// share requests, blocks and pieces, however small each of them is.
//
//   array  |- 0 -|-- 1 --|---- 2 ----|-- 3 --|
//   file a |- 0 -|-- 1 --|                |-- 3 --|       chains {0, 1}, {2}, {3}
//   file b    |---- 2 ----|
#pragma once

#include <loadstone/dataset.hpp>

#include <cstdint>
#include <vector>

namespace loadstone::plan {

/// The first shard of each chain, and the number of shards at the end. A chain holds shards of one file and one type,
/// in C order if they are more than one, that touch; empty ones among them lie anywhere. Its first shard is not empty
/// unless all are. O(shards).
std::vector<std::int64_t> chain_starts(const Dataset& dataset);

/// The shard of a chain, named by its first one, that holds a byte of the file. O(log shards).
std::int64_t shard_at(const Dataset& dataset, std::int64_t first_shard, std::int64_t file_offset);

}  // namespace loadstone::plan
