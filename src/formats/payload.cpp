#include "formats/payload.hpp"

#include "core/text.hpp"
#include "formats/faults.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace loadstone::formats {

namespace {

/// Rows follow one another only in C order; a shorter column-major payload has no whole row.
std::string rows_there(const Description& description, std::int64_t got) {
  if (description.shape.empty() || description.order == StorageOrder::f) return {};
  const std::int64_t rows = description.shape.front();  // not 0: nothing is short of an empty payload
  const std::int64_t row_nbytes = description.nbytes / rows;
  return fmt::format("; {} of {} are whole", grouped(got / row_nbytes), counted(rows, "row"));
}

}  // namespace

std::optional<Fault> truncation(const Description& description, std::int64_t file_bytes) {
  const std::int64_t got = std::max<std::int64_t>(0, file_bytes - description.data_offset);
  if (got >= description.nbytes) return std::nullopt;
  Fault fault =
      make_fault(Code::truncated, "shard.truncated",
                 fmt::format("{} bytes of data are stated, the file holds {} ({} short{})", grouped(description.nbytes),
                             grouped(got), grouped(description.nbytes - got), rows_there(description, got)),
                 "Copy or write this shard again, or leave it out.");
  fault.offset = description.data_offset;
  fault.wanted = description.nbytes;
  fault.got = got;
  return fault;
}

}  // namespace loadstone::formats
