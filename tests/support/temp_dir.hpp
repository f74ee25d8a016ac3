// A folder that is gone when the test ends, and files in it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::test {

class TempDir {
 public:
  /// @param parent  where to make it; empty: the system's place for temporary files
  explicit TempDir(std::filesystem::path parent = {}) {
    if (parent.empty()) parent = std::filesystem::temp_directory_path();
    std::string pattern = (parent / "loadstone-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    path_ = std::filesystem::canonical(pattern);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return *this / name; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

  std::string write(const std::string& name, std::span<const std::byte> bytes) const {
    std::ofstream file(path_ / name, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return *this / name;
  }
  std::string write(const std::string& name, std::string_view text) const {
    return write(name, std::as_bytes(std::span(text)));
  }

 private:
  std::filesystem::path path_;
};

inline void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.good()) << path;
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Names in a folder, sorted.
inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Byte i of a file that knows where it belongs: no two places within 64 KiB of each other look alike for long.
inline std::byte pattern_byte(std::int64_t i, std::int64_t salt = 0) {
  const auto mixed = (static_cast<std::uint64_t>(i) + static_cast<std::uint64_t>(salt) * 977) * 0x9E3779B97F4A7C15ULL;
  return static_cast<std::byte>(mixed >> 56);
}

inline std::vector<std::byte> pattern(std::int64_t bytes, std::int64_t salt = 0) {
  std::vector<std::byte> out(static_cast<std::size_t>(bytes));
  for (std::int64_t i = 0; i < bytes; ++i) out[static_cast<std::size_t>(i)] = pattern_byte(i, salt);
  return out;
}

}  // namespace loadstone::test
