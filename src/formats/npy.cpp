#include "formats/npy.hpp"

#include "core/checked.hpp"
#include "core/text.hpp"
#include "formats/drivers.hpp"
#include "formats/faults.hpp"
#include "formats/first_bytes.hpp"
#include "formats/npy_descr.hpp"
#include "formats/npy_frame.hpp"
#include "formats/npy_literal.hpp"
#include "formats/payload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace loadstone::formats {

namespace {

// Headers are nearly always 128 bytes; one page holds the odd ones too, in the one read that a scan may cost (DS19).
constexpr std::int64_t kFirstRead = 4096;
constexpr std::int64_t kFrameBytes = 12;
// Of a list of fields in a sentence; the fault's `got` has it all.
constexpr std::size_t kShownFieldBytes = 2000;

Fault type_fault(Code code, std::string_view kind, std::string message, std::string remedy, const NpyDescr& descr) {
  Fault fault = make_fault(code, kind, std::move(message), std::move(remedy));
  fault.offset = descr.offset;
  fault.got = descr.structured ? descr.fields : escape(descr.scalar);
  return fault;
}

Fault objects(const NpyDescr& descr) {
  return type_fault(Code::refused, "dtype.object",
                    fmt::format("the elements are Python objects ({}): reading them would run code from the file",
                                descr.structured ? escape(descr.fields) : escape(descr.scalar)),
                    "Save the array again with a plain type, such as float64 or S16.", descr);
}

Fault structured(const NpyDescr& descr) {
  const bool cut = descr.fields.size() > kShownFieldBytes;
  return type_fault(
      Code::unsupported, "dtype.structured",
      fmt::format("the elements are structures of {}, which are not read: {}", counted(descr.field_count, "field"),
                  cut ? descr.fields.substr(0, kShownFieldBytes) + "..." : descr.fields),
      "Save each field as an array of its own.", descr);
}

Fault unknown_type(const NpyDescr& descr) {
  return type_fault(Code::unsupported, "dtype.unsupported",
                    fmt::format("the element type '{}' is not one that is read here", escape(descr.scalar)),
                    "Save the array again with a plain type and its byte order, such as <f4, >i8, |u1 or <M8[ns].",
                    descr);
}

Result<DType> resolve(const NpyDescr& descr) {
  if (descr.has_objects || is_object_descr(descr.scalar)) return objects(descr);
  if (descr.structured) return structured(descr);
  std::optional<DType> dtype = parse_descr(descr.scalar);
  if (!dtype) return unknown_type(descr);
  return std::move(*dtype);
}

Fault too_large(const NpyLiteral& literal, const DType& dtype) {
  Fault fault =
      malformed("header.shape",
                fmt::format("the shape {} of {} has more than 2^63 - 1 bytes", shape_text(literal.shape), dtype.str()),
                "Write the file again with the array's real shape.");
  fault.got = literal.shape;
  return fault;
}

Fault short_header(const NpyFrame& frame, std::size_t given) {
  const auto got = static_cast<std::int64_t>(given);
  Fault fault = malformed("header.cut",
                          fmt::format("the header ends at byte {}, only {} bytes of the file are there",
                                      grouped(frame.end()), grouped(got)),
                          "Write the file again with numpy.save, or leave it out.");
  fault.offset = got;
  fault.wanted = frame.end();
  fault.got = got;
  return fault;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};  // NOLINT(*-reinterpret-cast): bytes as text
}

class NpyDriver final : public Driver {
 public:
  [[nodiscard]] std::string_view name() const override { return "npy"; }

  [[nodiscard]] bool probe(std::span<const std::byte> first_bytes) const override {
    return starts_with(first_bytes, kNpyMagic);
  }

  Result<Description> describe(const ByteSource& source, const DescribeContext& context) const override {
    const std::int64_t size = source.size();
    std::vector<std::byte> bytes;
    if (Status status = extend(source, std::min(size, kFirstRead), bytes); !status.ok()) return status;
    const auto frame = std::span(bytes).first(std::min<std::size_t>(bytes.size(), kFrameBytes));
    const Result<std::int64_t> end = npy_header_end(frame, size, context.limits);
    if (!end.ok()) return end.status().clone();
    if (Status status = extend(source, *end, bytes); !status.ok()) return status;
    return parse_npy_header(bytes, size, context.limits);
  }

 private:
  /// Reads on until `bytes` has `wanted` bytes of the file.
  static Status extend(const ByteSource& source, std::int64_t wanted, std::vector<std::byte>& bytes) {
    auto have = static_cast<std::int64_t>(bytes.size());
    if (have >= wanted) return {};
    bytes.resize(static_cast<std::size_t>(wanted));
    while (have < wanted) {
      Result<std::int64_t> count = source.read(have, std::span(bytes).subspan(static_cast<std::size_t>(have)));
      if (!count.ok()) return std::move(count).status();
      if (*count <= 0) return shrunk(wanted, have);
      have += *count;
    }
    return {};
  }

  static Fault shrunk(std::int64_t wanted, std::int64_t got) {
    Fault fault = make_fault(Code::changed, "shard.changed",
                             fmt::format("the file became shorter while its header was read: {} bytes wanted, {} found",
                                         grouped(wanted), grouped(got)),
                             "Load again when nothing writes to the file.");
    fault.wanted = wanted;
    fault.got = got;
    return fault;
  }
};

}  // namespace

Result<Description> parse_npy_header(std::span<const std::byte> bytes, std::int64_t file_bytes, const Limits& limits) {
  Result<NpyFrame> frame = parse_npy_frame(bytes, file_bytes, limits);
  if (!frame.ok()) return std::move(frame).status();
  const auto prefix = static_cast<std::size_t>(frame->prefix_bytes);
  const auto length = static_cast<std::size_t>(frame->header_bytes);
  if (bytes.size() - prefix < length) return short_header(*frame, bytes.size());
  Result<NpyLiteral> literal =
      parse_npy_literal(text_of(bytes.subspan(prefix, length)), frame->version, frame->prefix_bytes, limits);
  if (!literal.ok()) return std::move(literal).status();
  Result<DType> dtype = resolve(literal->descr);
  if (!dtype.ok()) return std::move(dtype).status();
  const std::optional<std::int64_t> nbytes = checked_nbytes(literal->shape, dtype->itemsize);
  if (!nbytes) return too_large(*literal, *dtype);

  Description description;
  description.dtype = std::move(*dtype);
  description.shape = std::move(literal->shape);
  description.order = literal->fortran_order ? StorageOrder::f : StorageOrder::c;
  description.data_offset = frame->end();
  description.nbytes = *nbytes;
  if (std::optional<Fault> fault = truncation(description, file_bytes)) return std::move(*fault);
  return description;
}

const Driver& npy_driver() {
  static const NpyDriver driver;
  return driver;
}

}  // namespace loadstone::formats
