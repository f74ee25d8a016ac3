// A directory of shards and what open() says of it on one rank and on several threads.
#pragma once

#include <gtest/gtest.h>
#include <loadstone/loadstone.hpp>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loader/npy_bytes.hpp"
#include "support/temp_dir.hpp"

namespace loadstone::test {

/// What one call came to: a dataset, or the failure of all ranks.
struct Opened {
  std::optional<Dataset> dataset;
  Failure failure;
  std::string text;

  [[nodiscard]] std::vector<std::string> kinds() const { return kinds_of(failure.faults); }
  [[nodiscard]] std::vector<std::string> warnings() const {
    return dataset ? kinds_of(dataset->warnings) : std::vector<std::string>{};
  }
  [[nodiscard]] const Fault& first() const { return failure.first(); }

  static std::vector<std::string> kinds_of(const std::vector<Fault>& faults) {
    std::vector<std::string> kinds;
    for (const Fault& fault : faults) kinds.push_back(fault.kind);
    std::ranges::sort(kinds);
    return kinds;
  }
};

inline Opened open_on(const Paths& paths, const OpenOptions& options, const CommPtr& comm) {
  Opened opened;
  try {
    opened.dataset = open(paths, options, comm);
  } catch (const Error& error) {
    opened.failure = error.failure();
    opened.text = error.what();
  }
  return opened;
}

/// Opens on this process alone and on 2, 3 and 4 threads; all must tell the same.
inline Opened open_everywhere(const Paths& paths, const OpenOptions& options = {}) {
  Opened alone = open_on(paths, options, self_communicator());
  for (const int ranks : {2, 3, 4}) {
    std::mutex mutex;
    run_threads(ranks, [&](const CommPtr& comm) {
      const Opened here = open_on(paths, options, comm);
      const std::scoped_lock lock(mutex);
      EXPECT_EQ(here.text, alone.text) << "rank " << comm->rank() << " of " << ranks;
      EXPECT_EQ(here.failure.faults, alone.failure.faults);
      EXPECT_EQ(here.dataset.has_value(), alone.dataset.has_value());
      if (here.dataset && alone.dataset) {
        EXPECT_EQ(here.dataset->digest, alone.dataset->digest);
      }
      if (here.dataset && alone.dataset) {
        EXPECT_EQ(here.dataset->row_index, alone.dataset->row_index);
      }
    });
  }
  return alone;
}

inline std::string shard_name(std::int64_t index) {
  const std::string digits = std::to_string(index);
  return "shard_" + std::string(4 - digits.size(), '0') + digits + ".npy";
}

/// Files of a test in a directory of its own.
class Folder {
 public:
  [[nodiscard]] std::string path() const { return directory_.file("d"); }
  [[nodiscard]] std::string file(const std::string& name) const { return path() + "/" + name; }
  [[nodiscard]] std::string glob() const { return file("shard_*.npy"); }
  [[nodiscard]] std::string outside(const std::string& name) const { return directory_.file(name); }
  Folder() { std::filesystem::create_directory(path()); }

  void write(const std::string& name, std::string_view bytes) const { write_file(file(name), bytes); }
  void write_good(std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) write(shard_name(i), good_npy(5 + i % 3));
  }
  void remove(const std::string& name) const { std::filesystem::remove(file(name)); }

 private:
  TempDir directory_;
};

}  // namespace loadstone::test
