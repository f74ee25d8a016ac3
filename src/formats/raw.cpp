#include "core/checked.hpp"
#include "core/option_words.hpp"
#include "core/text.hpp"
#include "formats/drivers.hpp"
#include "formats/faults.hpp"
#include "formats/payload.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace loadstone::formats {

namespace {

Fault no_layout() {
  return make_fault(Code::bad_argument, "raw.layout", "nothing says what the bytes of this raw file are",
                    fmt::format("Put a shard_meta.json beside the shards, or give {} and {}.", named(Option::dtype),
                                named(Option::trailing_shape)));
}

Fault too_large(const RawLayout& layout, const Shape& shape) {
  Fault fault = malformed("header.shape",
                          fmt::format("the stated shape {} of {} at byte {} passes 2^63 - 1 bytes", shape_text(shape),
                                      layout.dtype.str(), layout.header_bytes),
                          "Correct the rows, the trailing shape or the offset in the sidecar.");
  fault.got = shape;
  return fault;
}

Fault before_payload(const RawLayout& layout, std::int64_t size) {
  Fault fault =
      make_fault(Code::truncated, "shard.truncated",
                 fmt::format("the data start at byte {}, the file has {}", grouped(layout.header_bytes), grouped(size)),
                 fmt::format("Copy or write this shard again, or correct {}.", named(Option::header_bytes)));
  fault.item = "header_bytes";
  fault.wanted = layout.header_bytes;
  fault.got = size;
  return fault;
}

Fault no_rows_to_count(const RawLayout& layout) {
  Fault fault = make_fault(
      Code::truncated, "raw.remainder",
      fmt::format("a row of trailing shape {} has no bytes, so the file size does not tell how many there are",
                  shape_text(layout.trailing_shape)),
      "State the rows in the sidecar as per_shard_rows.");
  fault.wanted = std::int64_t{0};
  return fault;
}

Fault remainder(const RawLayout& layout, std::int64_t size, std::int64_t row_nbytes) {
  const std::int64_t payload = size - layout.header_bytes;
  const std::int64_t rows = payload / row_nbytes;
  Fault fault = make_fault(Code::truncated, "raw.remainder",
                           fmt::format("{} bytes less a header of {} are {} of {} bytes each, and {} bytes more",
                                       grouped(size), grouped(layout.header_bytes), counted(rows, "row"),
                                       grouped(row_nbytes), grouped(payload % row_nbytes)),
                           fmt::format("Correct the type, the trailing shape or {}, or drop the rest with {}.",
                                       named(Option::header_bytes), named(Option::allow_tail)));
  fault.offset = layout.header_bytes + rows * row_nbytes;
  fault.bytes = payload % row_nbytes;
  fault.wanted = layout.header_bytes + (rows + 1) * row_nbytes;
  fault.got = size;
  return fault;
}

/// (size - header_bytes) / row_nbytes, without a rest unless that is allowed (DS38).
Result<std::int64_t> rows_by_size(const RawLayout& layout, std::int64_t size) {
  if (layout.header_bytes > size) return before_payload(layout, size);
  const std::optional<std::int64_t> row_nbytes = checked_nbytes(layout.trailing_shape, layout.dtype.itemsize);
  if (!row_nbytes) return too_large(layout, layout.trailing_shape);
  const std::int64_t payload = size - layout.header_bytes;
  if (*row_nbytes == 0) {
    if (payload == 0 || layout.allow_tail) return std::int64_t{0};
    return no_rows_to_count(layout);
  }
  if (payload % *row_nbytes != 0 && !layout.allow_tail) return remainder(layout, size, *row_nbytes);
  return payload / *row_nbytes;
}

class RawDriver final : public Driver {
 public:
  [[nodiscard]] std::string_view name() const override { return "raw"; }

  /// Any bytes may be raw data: it is only ever chosen by name, extension or sidecar.
  [[nodiscard]] bool probe(std::span<const std::byte>) const override { return false; }

  Result<Description> describe(const ByteSource& source, const DescribeContext& context) const override {
    if (!context.raw) return no_layout();
    const RawLayout& layout = *context.raw;
    if (layout.header_bytes < 0) return too_large(layout, layout.trailing_shape);
    const std::int64_t size = source.size();
    Result<std::int64_t> rows = layout.rows ? Result<std::int64_t>(*layout.rows) : rows_by_size(layout, size);
    if (!rows.ok()) return std::move(rows).status();

    Description description;
    description.dtype = layout.dtype;
    description.shape = layout.trailing_shape;
    description.shape.insert(description.shape.begin(), *rows);
    description.order = layout.order;
    description.data_offset = layout.header_bytes;
    const std::optional<std::int64_t> nbytes = checked_nbytes(description.shape, layout.dtype.itemsize);
    if (!nbytes || !checked_add(layout.header_bytes, *nbytes)) {
      return too_large(layout, description.shape);
    }
    description.nbytes = *nbytes;
    if (std::optional<Fault> fault = truncation(description, size)) return std::move(*fault);
    return description;
  }
};

}  // namespace

const Driver& raw_driver() {
  static const RawDriver driver;
  return driver;
}

}  // namespace loadstone::formats
