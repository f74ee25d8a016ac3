#include "formats/npy_frame.hpp"

#include "core/option_words.hpp"
#include "core/text.hpp"
#include "formats/faults.hpp"
#include "formats/first_bytes.hpp"
#include "formats/npy.hpp"

#include <fmt/format.h>

namespace loadstone::formats {

namespace {

constexpr std::size_t kVersionEnd = 8;
constexpr std::string_view kRewrite = "Write the file again with numpy.save, or leave it out.";

std::int64_t little_endian(std::span<const std::byte> field) {
  std::int64_t value = 0;
  for (std::size_t i = field.size(); i-- > 0;) value = value << 8 | std::to_integer<std::int64_t>(field[i]);
  return value;
}

Fault cut(std::int64_t wanted, std::int64_t got) {
  Fault fault = malformed("header.cut",
                          fmt::format("the file ends inside the .npy prefix: {} bytes are there, {} are needed",
                                      grouped(got), grouped(wanted)),
                          std::string(kRewrite));
  fault.offset = got;
  fault.wanted = wanted;
  fault.got = got;
  return fault;
}

Fault wrong_version(int major, int minor) {
  Fault fault = malformed("header.version",
                          fmt::format("the file says .npy version {}.{}; 1.0, 2.0 and 3.0 are known", major, minor),
                          std::string(kRewrite));
  fault.offset = 6;
  fault.wanted = std::string("1.0, 2.0 or 3.0");
  fault.got = fmt::format("{}.{}", major, minor);
  return fault;
}

Fault lying_length(const NpyFrame& frame, std::int64_t file_bytes) {
  const std::int64_t there = file_bytes - frame.prefix_bytes;
  Fault fault = malformed("header.length",
                          fmt::format("the length field asks for a header of {} bytes, the file holds {} after it",
                                      grouped(frame.header_bytes), grouped(there)),
                          std::string(kRewrite));
  fault.offset = static_cast<std::int64_t>(kVersionEnd);
  fault.wanted = frame.header_bytes;
  fault.got = there;
  return fault;
}

Fault over_the_cap(const NpyFrame& frame, std::int64_t cap) {
  Fault fault =
      malformed("header.length",
                fmt::format("the header has {} bytes, the limit is {}", grouped(frame.header_bytes), grouped(cap)),
                fmt::format("If the file is trusted, set {}.", named(Option::max_header_bytes, frame.header_bytes)));
  fault.offset = static_cast<std::int64_t>(kVersionEnd);
  fault.wanted = cap;
  fault.got = frame.header_bytes;
  return fault;
}

}  // namespace

Result<NpyFrame> parse_npy_frame(std::span<const std::byte> first_bytes, std::int64_t file_bytes,
                                 const Limits& limits) {
  if (!starts_with(first_bytes, kNpyMagic)) return not_this_format(first_bytes, "a .npy file");
  const auto there = static_cast<std::int64_t>(first_bytes.size());
  if (first_bytes.size() < kVersionEnd) return cut(static_cast<std::int64_t>(kVersionEnd), there);
  NpyFrame frame;
  frame.version = std::to_integer<int>(first_bytes[6]);
  const int minor = std::to_integer<int>(first_bytes[7]);
  if (frame.version < 1 || frame.version > 3 || minor != 0) return wrong_version(frame.version, minor);
  const std::size_t field_bytes = frame.version == 1 ? 2 : 4;
  frame.prefix_bytes = static_cast<std::int64_t>(kVersionEnd + field_bytes);
  if (there < frame.prefix_bytes) return cut(frame.prefix_bytes, there);
  frame.header_bytes = little_endian(first_bytes.subspan(kVersionEnd, field_bytes));
  if (frame.header_bytes > file_bytes - frame.prefix_bytes) return lying_length(frame, file_bytes);
  if (frame.header_bytes > limits.max_npy_header_bytes) return over_the_cap(frame, limits.max_npy_header_bytes);
  return frame;
}

Result<std::int64_t> npy_header_end(std::span<const std::byte> first_bytes, std::int64_t file_bytes,
                                    const Limits& limits) {
  Result<NpyFrame> frame = parse_npy_frame(first_bytes, file_bytes, limits);
  if (!frame.ok()) return std::move(frame).status();
  return frame->end();
}

}  // namespace loadstone::formats
