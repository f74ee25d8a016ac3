// Makes .npy bytes, good and bad, and sources of bytes that behave as told.
#pragma once

#include "core/text.hpp"
#include "formats/driver.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace loadstone::formats {

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// How a header is framed; `length` overrides the length field, to lie.
struct Framing {
  int version = 1;
  int minor = 0;
  std::optional<std::uint32_t> length;
};

inline std::string framed(std::string_view header, Framing framing = {}) {
  std::string out = "\x93NUMPY";
  out.push_back(static_cast<char>(framing.version));
  out.push_back(static_cast<char>(framing.minor));
  std::uint32_t length = framing.length.value_or(static_cast<std::uint32_t>(header.size()));
  for (int i = 0; i < (framing.version == 1 ? 2 : 4); ++i, length >>= 8)
    out.push_back(static_cast<char>(length & 0xff));
  return out += header;
}

/// {'descr': DESCR, 'fortran_order': ORDER, 'shape': SHAPE, } and a newline.
inline std::string header_text(std::string_view descr, std::string_view shape, std::string_view order = "False") {
  std::string out = "{'descr': ";
  out.append(descr).append(", 'fortran_order': ").append(order).append(", 'shape': ").append(shape).append(", }\n");
  return out;
}

/// Bytes in memory: counts reads, gives at most `most` bytes a read, and can end early or fail.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)), size_(std::ssize(bytes_)) {}

  [[nodiscard]] std::int64_t size() const override { return size_; }
  Result<std::int64_t> read(std::int64_t offset, std::span<std::byte> out) const override {
    ++reads;
    if (failure) return *failure;
    const std::int64_t there = std::max<std::int64_t>(0, std::ssize(bytes_) - offset);
    const auto count = static_cast<std::size_t>(std::min({there, std::ssize(out), most}));
    std::copy_n(bytes_of(bytes_).begin() + offset, count, out.begin());
    bytes_read += static_cast<std::int64_t>(count);
    return static_cast<std::int64_t>(count);
  }
  /// Size that the file had when it was opened.
  void claim(std::int64_t size) { size_ = size; }

  std::int64_t most = std::int64_t{1} << 40;
  std::optional<Fault> failure;
  mutable int reads = 0;
  mutable std::int64_t bytes_read = 0;

 private:
  std::string bytes_;
  std::int64_t size_;
};

/// The first fault of a result; a fault without a kind if it is well. Every fault must be told in full.
template <class T>
Fault fault_of(const Result<T>& result) {
  if (result.ok()) return {};
  return result.status().failure().first();
}

inline std::string number_or_text(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* shape = std::get_if<std::vector<std::int64_t>>(&value)) return shape_text(*shape);
  return {};
}

}  // namespace loadstone::formats
