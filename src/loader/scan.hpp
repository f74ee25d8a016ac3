// The scan: opens each file once, tells its format, takes its identity, and reads the headers of its shards. At most
// six system calls a file where the header fits into the first 4 KiB (DS19), however many shards are ranges of it.
#pragma once

#include "core/interrupt.hpp"
#include "core/limits.hpp"
#include "core/status.hpp"
#include "formats/driver.hpp"
#include "io/file.hpp"
#include "loader/file_shards.hpp"
#include "loader/found.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace loadstone::loader {

/// How a shard is stored, apart from its rows. Shards by the 100,000 share a few of these.
struct Layout {
  std::string format;  ///< driver
  DType dtype;
  Shape trailing_shape;
  bool scalar = false;  ///< 0-d
  StorageOrder order = StorageOrder::c;

  bool operator==(const Layout&) const = default;
};

/// What is worth saying of a shard.
struct Findings {
  std::vector<Fault> faults;  ///< with path, without shard
  std::string tail;           ///< the first 16 bytes after the payload, in hex; empty if there are none
};

/// What the scan learned of one shard.
struct Record {
  std::int32_t layout = -1;  ///< index into Scanned::layouts; -1 if the header could not be read
  std::int64_t rows = 0;     ///< 1 for 0-d
  std::int64_t data_offset = 0;
  std::int64_t nbytes = 0;
  std::unique_ptr<Findings> findings;  ///< null for most

  [[nodiscard]] bool sound() const noexcept { return layout >= 0 && (!findings || findings->faults.empty()); }
  Findings& found() {
    if (!findings) findings = std::make_unique<Findings>();
    return *findings;
  }
};

/// Many files and their shards.
struct Scanned {
  std::vector<Layout> layouts;      ///< each once, in no particular order
  std::vector<FileIdentity> files;  ///< inode 0 if it could not be opened
  std::vector<Record> records;      ///< file by file, until in_shard_order()

  [[nodiscard]] const Layout& layout_of(const Record& record) const {
    return layouts[static_cast<std::size_t>(record.layout)];
  }
  /// The index of a layout, which is added if it is new.
  std::int32_t intern(const Layout& layout);
  /// Puts the files of `more` and their shards behind these.
  void append(Scanned more);
  /// Brings the records of all files into the order of the shards.
  void in_shard_order(const FileShards& shards);
};

struct ScanSettings {
  Limits limits;
  int threads = 0;  ///< 0: min(4, cores this process may use)
};

/// Scans files [begin, end) of what was found. A stop is `cancelled`; faults of shards are in their records. Local.
Result<Scanned> scan(const Found& found, const FileShards& shards, std::size_t begin, std::size_t end,
                     const io::Opener& opener, const ScanSettings& settings, const Interrupt& interrupt);

}  // namespace loadstone::loader
