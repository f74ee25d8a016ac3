// Reads headers from standard input, each as a 32-bit little-endian length and so many bytes; writes a line for each:
// "ok DESCR C|F OFFSET EXTENT,EXTENT,... SAME" or "no KIND OFFSET". SAME is "same" if write_npy_header would have
// written these very bytes, else "other". The payload is taken to be there. For npy_differential.py, real_npy_files.py.
#include "formats/npy.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace {

using loadstone::formats::Description;

constexpr std::int64_t kFileBytes = std::numeric_limits<std::int64_t>::max();

bool read_exactly(std::byte* out, std::size_t count) { return std::fread(out, 1, count, stdin) == count; }

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};  // NOLINT(*-reinterpret-cast)
}

std::string accepted(const Description& description, std::span<const std::byte> header) {
  const bool same = loadstone::formats::write_npy_header(description.dtype, description.shape) == as_text(header);
  return fmt::format("ok {} {} {} {} {}\n", description.dtype.str(),
                     description.order == loadstone::StorageOrder::c ? 'C' : 'F', description.data_offset,
                     fmt::join(description.shape, ","), same ? "same" : "other");
}

std::string answer(std::span<const std::byte> header) {
  const auto result = loadstone::formats::parse_npy_header(header, kFileBytes, loadstone::Limits{});
  if (result.ok()) return accepted(result.value(), header);
  const loadstone::Fault& fault = result.status().failure().first();
  return fmt::format("no {} {}\n", fault.kind, fault.offset.value_or(-1));
}

}  // namespace

int main() {
  std::array<std::byte, 4> size{};
  std::vector<std::byte> header;
  while (read_exactly(size.data(), size.size())) {
    std::size_t length = 0;
    for (std::size_t i = size.size(); i-- > 0;) length = length << 8 | std::to_integer<std::size_t>(size[i]);
    header.resize(length);
    if (!read_exactly(header.data(), length)) return 1;
    const std::string line = answer(header);
    std::fwrite(line.data(), 1, line.size(), stdout);
  }
  return 0;
}
