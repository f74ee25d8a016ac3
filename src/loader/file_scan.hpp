// One file, opened once, and what it says of each shard in it.
#pragma once

#include "core/limits.hpp"
#include "formats/driver.hpp"
#include "io/file.hpp"
#include "loader/found.hpp"
#include "loader/scan.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace loadstone::loader {

/// Layouts that threads find, each once.
class LayoutTable {
 public:
  explicit LayoutTable(Scanned& scanned) : scanned_(scanned) {}
  std::int32_t intern(const Layout& layout) {
    const std::scoped_lock lock(mutex_);
    return scanned_.intern(layout);
  }

 private:
  std::mutex mutex_;
  Scanned& scanned_;
};

class FileSource;

/// Used by one thread. What it refers to must outlive it.
class FileScan {
 public:
  struct Place {
    std::size_t file = 0;
    std::span<const std::size_t> shards;  ///< in that file
    std::span<Record> records;            ///< of those shards, to be filled in
  };
  FileScan(const Found& found, const Limits& limits, LayoutTable& layouts, const Place& place)
      : found_(found), limits_(limits), layouts_(layouts), place_(place), name_(found.files[place.file]) {}

  /// Fills in the records, faults included. The identity of the file; inode 0 if it could not be opened.
  FileIdentity run(const io::Opener& opener);

 private:
  Status describe_all(int fd);
  Status describe(const FileSource& source, const formats::Driver& driver, const formats::DescribeContext& context,
                  Record& record);
  std::int32_t layout_of(formats::Description described, std::string_view format);
  Status hash_header(const FileSource& source);
  [[nodiscard]] std::vector<Fault> faults_of(bool opened, Failure failure) const;

  const Found& found_;
  const Limits& limits_;
  LayoutTable& layouts_;
  Place place_;
  const io::FileName& name_;
  FileIdentity identity_;
  std::int32_t latest_ = -1;  // the layout of the last shard: those of one file are mostly alike
  Layout latest_layout_;
};

}  // namespace loadstone::loader
