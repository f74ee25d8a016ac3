// What the tests of the engine share: files that know their bytes, a source of reads, and the check that nothing leaks.
#pragma once

#include "core/ledger.hpp"
#include "io/engine.hpp"
#include "io/file.hpp"
#include "support/backend_doubles.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace loadstone::test {

inline constexpr std::byte kPoison{0xA5};

inline io::InputFile input(const std::string& path, std::int64_t shard = 0) {
  const io::Opener opener;
  const io::FileName name = {"", path};
  Result<io::Descriptor> file = opener.open(name);
  EXPECT_TRUE(file.ok()) << path;
  return {name, *io::identity_of(file->get(), path), shard};
}

/// Hands out a list of reads; `window` is how many may be out before it says `later` (0: no limit).
class ListSource final : public io::ReadSource {
 public:
  explicit ListSource(std::vector<io::Read> reads, std::int64_t window = 0)
      : reads_(std::move(reads)), window_(window), times_done_(reads_.size()) {
    for (std::size_t i = 0; i < reads_.size(); ++i) reads_[i].tag = i;
  }

  Next next(io::Read& read) override {
    if (next_ == reads_.size()) return Next::end;
    if (window_ > 0 && out_ >= window_) return Next::later;
    read = reads_[next_++];
    ++out_;
    return Next::read;
  }
  Status done(const io::Read& read) override {
    --out_;
    ++done_;
    ++times_done_[read.tag];
    if (on_done) return on_done(read);
    return {};
  }
  [[nodiscard]] std::int64_t bytes_expected() const override { return expected; }
  Status poll() override {
    ++polls;
    if (on_poll) return on_poll();
    return {};
  }

  [[nodiscard]] std::size_t done_count() const { return done_; }
  [[nodiscard]] bool each_done_once() const {
    return std::all_of(times_done_.begin(), times_done_.end(), [](int n) { return n == 1; });
  }

  std::function<Status(const io::Read&)> on_done;
  std::function<Status()> on_poll;
  int polls = 0;
  std::int64_t expected = 0;  ///< bytes that it says it will hand out

 private:
  std::vector<io::Read> reads_;
  std::int64_t window_;
  std::vector<int> times_done_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
  std::int64_t out_ = 0;
};

/// Poisoned memory for reads, checked byte by byte against where each byte came from.
class Landing {
 public:
  explicit Landing(std::int64_t bytes, std::int64_t skew = 0)
      : memory_(static_cast<std::size_t>(bytes + skew + 4096), kPoison) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    start_ = (4096 - address % 4096) % 4096 + static_cast<std::size_t>(skew);
  }
  std::span<std::byte> at(std::int64_t offset, std::int64_t bytes) {
    return std::span(memory_).subspan(start_ + static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes));
  }

 private:
  std::vector<std::byte> memory_;
  std::size_t start_ = 0;
};

inline bool holds(std::span<const std::byte> memory, std::int64_t file_offset, std::int64_t salt = 0) {
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (memory[i] != pattern_byte(file_offset + static_cast<std::int64_t>(i), salt)) return false;
  }
  return true;
}

inline bool is_poison(std::span<const std::byte> memory) {
  return std::all_of(memory.begin(), memory.end(), [](std::byte b) { return b == kPoison; });
}

inline std::int64_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return std::distance(begin(entries), end(entries));
}

/// Of this process's memory, what the kernel holds for devices to write to.
std::int64_t pinned_bytes();

/// Puts a file out of the page cache, as far as its file system allows.
void drop_from_cache(const std::string& path);
/// Reads it once, with every page written back before.
void keep_in_cache(const std::string& path);
/// Whether a way of section 1 can be used here.
bool is_usable(std::string_view backend);

}  // namespace loadstone::test
