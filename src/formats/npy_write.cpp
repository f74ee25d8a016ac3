#include "core/checked.hpp"
#include "formats/npy.hpp"
#include "formats/npy_frame.hpp"

#include <fmt/format.h>

namespace loadstone::formats {

namespace {

constexpr std::int64_t kAlignment = 64;
// NumPy leaves room for the first extent to grow to 21 digits, so that a file can be appended to in place.
constexpr std::size_t kGrowthDigits = 21;
constexpr std::int64_t kMaxVersion1 = 0xffff;

std::string tuple_text(std::span<const std::int64_t> shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape.front());
  return fmt::format("({})", fmt::join(shape, ", "));
}

std::string literal_text(const DType& dtype, std::span<const std::int64_t> shape) {
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", dtype.str(), tuple_text(shape));
  if (!shape.empty()) text.append(kGrowthDigits - fmt::formatted_size("{}", shape.front()), ' ');
  return text;
}

void append_little_endian(std::string& out, std::int64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

}  // namespace

std::string write_npy_header(const DType& dtype, std::span<const std::int64_t> shape) {
  const std::string text = literal_text(dtype, shape);
  const auto frame_end = [&](int length_bytes) {
    const auto magic_and_version = static_cast<std::int64_t>(kNpyMagic.size()) + 2;
    const std::int64_t end = magic_and_version + length_bytes + static_cast<std::int64_t>(text.size()) + 1;
    return round_down(end, kAlignment) + kAlignment;  // as NumPy: a whole step more where nothing would be needed
  };
  const int length_bytes = frame_end(2) - 10 <= kMaxVersion1 ? 2 : 4;
  const std::int64_t end = frame_end(length_bytes);
  std::string out(kNpyMagic);
  out.push_back(length_bytes == 2 ? '\x01' : '\x02');
  out.push_back('\0');
  append_little_endian(out, end - static_cast<std::int64_t>(out.size()) - length_bytes, length_bytes);
  out += text;
  out.append(static_cast<std::size_t>(end) - out.size() - 1, ' ');
  out.push_back('\n');
  return out;
}

}  // namespace loadstone::formats
