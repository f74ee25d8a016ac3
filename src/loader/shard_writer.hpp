// One shard of a written dataset: what it holds, and the file under its temporary name.
#pragma once

#include "core/status.hpp"
#include "formats/manifest.hpp"
#include "io/output_file.hpp"
#include "loader/test_values.hpp"

#include <loadstone/load.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace loadstone::loader {

/// What every rank knows before it writes: rows, names, where values start.
struct WriteLayout {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> first_row;
  Shape trailing;
  std::int64_t row_elements = 1;
  Fill fill = Fill::random;
};

/// `bad_argument` for options that make no dataset. Pure.
Result<WriteLayout> make_write_layout(const WriteOptions& options);

/// "shard_0003.npy", in generations after the first "shard_0003.g2.npy".
std::string shard_name(std::int64_t shard, std::int64_t shards, std::int64_t generation);

/// One shard under its temporary name, with what the manifest and the report say of it.
struct WrittenFile {
  io::OutputFile file;
  formats::ManifestShard entry;
  WrittenShard report;
};

/// Writes header and values and makes them durable; the file still has its temporary name.
Result<WrittenFile> write_shard(const std::string& directory, const WriteOptions& options, const WriteLayout& layout,
                                std::size_t shard, std::int64_t generation);

}  // namespace loadstone::loader
