#include "loader/raw_layout.hpp"

#include "core/checked.hpp"
#include "core/option_words.hpp"
#include "core/text.hpp"
#include "loader/glob.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace loadstone::loader {
namespace {

const char* name_of(ByteOrder order) { return order == ByteOrder::big ? "big" : "little"; }

std::optional<ByteOrder> byteorder_of(const OpenOptions& options) {
  if (options.byteorder == "little") return ByteOrder::little;
  return options.byteorder == "big" ? std::optional(ByteOrder::big) : std::nullopt;
}

std::optional<DType> with_order(std::optional<DType> dtype, std::optional<ByteOrder> order) {
  if (dtype && order && dtype->byte_order != ByteOrder::none) dtype->byte_order = *order;
  return dtype;
}

// ---- arguments by themselves

void refuse_argument(Found& found, std::string item, std::string message, std::string remedy) {
  Fault fault = make_fault("argument", std::move(message), std::move(remedy));
  fault.item = std::move(item);
  found.faults.push_back(std::move(fault));
}

/// Whether a type is written with its order, as <f4, and not as float32.
bool states_order(const std::string& dtype) { return !dtype.empty() && (dtype.front() == '<' || dtype.front() == '>'); }

void check_byteorder(Found& found, const OpenOptions& options) {
  const std::optional<ByteOrder> order = byteorder_of(options);
  if (!options.byteorder.empty() && !order) {
    refuse_argument(found, "byteorder", fmt::format("{} is no byte order", escape(options.byteorder)),
                    fmt::format("Set {} or {}.", named(Option::byteorder, "little"), named(Option::byteorder, "big")));
  }
  const std::optional<DType> dtype = parse_dtype(options.raw_dtype);
  if (order && dtype && states_order(options.raw_dtype) && dtype->byte_order != *order) {
    refuse_argument(found, "byteorder",
                    fmt::format("the type is {} and the byte order {}", escape(options.raw_dtype), options.byteorder),
                    fmt::format("Leave {} out.", named(Option::byteorder)));
  }
}

void check_arguments(Found& found, const OpenOptions& options) {
  if (!options.raw_dtype.empty() && !parse_dtype(options.raw_dtype)) {
    refuse_argument(found, "dtype", fmt::format("{} is no element type", escape(options.raw_dtype)),
                    fmt::format("Set {}, for example.", named(Option::dtype, "float32")));
  }
  check_byteorder(found, options);
  if (options.header_bytes.value_or(0) < 0) {
    refuse_argument(found, "header_bytes", "a header of fewer than 0 bytes was stated",
                    fmt::format("Set {} to 0 or more.", named(Option::header_bytes)));
  }
  if (options.trailing_shape && std::ranges::any_of(*options.trailing_shape, [](auto n) { return n < 0; })) {
    refuse_argument(found, "trailing_shape", "an extent of the trailing shape is negative",
                    fmt::format("Set {} to extents of 0 or more.", named(Option::trailing_shape)));
  }
}

/// The type of the files by argument. One that is written without an order has that of the sidecar.
std::optional<DType> stated_dtype(const OpenOptions& options, std::optional<ByteOrder> beside) {
  const std::optional<DType> dtype = parse_dtype(options.raw_dtype);
  return states_order(options.raw_dtype) ? dtype : with_order(dtype, beside);
}

// ---- arguments against what lies beside the shards

/// What lies beside raw shards, as far as it states something, and whose word counts against an argument.
struct Beside {
  std::string path;
  std::string set_by;  ///< "sidecar" or "manifest"
  std::optional<DType> dtype;
  std::optional<ByteOrder> byteorder;
  std::optional<Shape> trailing_shape;
  std::optional<std::int64_t> header_bytes;

  [[nodiscard]] bool counts() const { return set_by == "manifest"; }
};

Fault difference(const Beside& beside, Option option, std::string message) {
  const std::string remedy = beside.counts()
                                 ? fmt::format("Leave {} out; if it is right, record the directory with it: {}.",
                                               named(option), named(Option::record, escape(directory_of(beside.path))))
                                 : fmt::format("Leave {} out, or correct the sidecar.", named(option));
  Fault warning =
      make_fault(beside.counts() ? "argument.overridden" : "sidecar.overridden", std::move(message), remedy);
  warning.path = beside.path;
  warning.item = std::string(option_words()[static_cast<std::size_t>(option)].name);
  warning.set_by = beside.set_by;
  return warning;
}

/// An argument that says otherwise than what lies beside the shards: one of them counts, and that is told.
void tell_difference(Found& found, const Beside& beside, Option option, std::string_view what,
                     const std::string& stated, const std::string& given) {
  if (stated == given) return;
  Fault warning = difference(beside, option,
                             fmt::format("the {} says {} {}, the argument {}: the {} counts", beside.set_by, what,
                                         stated, given, beside.counts() ? beside.set_by : "argument"));
  warning.wanted = stated;
  warning.got = given;
  found.warnings.push_back(std::move(warning));
}

void compare(Found& found, const Beside& beside, const OpenOptions& options) {
  const std::optional<DType> dtype = stated_dtype(options, beside.byteorder);
  const std::optional<ByteOrder> order = byteorder_of(options);
  if (beside.dtype && dtype) {
    tell_difference(found, beside, Option::dtype, "dtype", beside.dtype->str(), dtype->str());
  }
  if (beside.byteorder && order) {
    tell_difference(found, beside, Option::byteorder, "byte order", name_of(*beside.byteorder), name_of(*order));
  }
  if (beside.trailing_shape && options.trailing_shape) {
    tell_difference(found, beside, Option::trailing_shape, "trailing shape", shape_text(*beside.trailing_shape),
                    shape_text(*options.trailing_shape));
  }
  if (beside.header_bytes && options.header_bytes) {
    tell_difference(found, beside, Option::header_bytes, "header bytes", fmt::format("{}", *beside.header_bytes),
                    fmt::format("{}", *options.header_bytes));
  }
}

/// The first place that is not the one given; the first of all if there is none such.
std::optional<std::int64_t> header_of(const Found& recorded, std::optional<std::int64_t> given) {
  std::optional<std::int64_t> header;
  for (const Stated& stated : recorded.stated) {
    const std::int64_t offset = stated.offset.value_or(0);
    if (!header) header = offset;
    if (given && offset != *given) return offset;
  }
  return header;
}

}  // namespace

void add_arguments(Found& found, const OpenOptions& options, const SidecarWords& sidecar) {
  check_arguments(found, options);
  found.allow_tail = options.allow_tail;
  Beside beside{sidecar.path, "sidecar", found.dtype, sidecar.byteorder, found.trailing_shape, sidecar.header_bytes};
  if (sidecar.path.empty()) beside = {};
  if (found.ranges) beside.header_bytes.reset();
  compare(found, beside, options);
  if (found.ranges && options.header_bytes && options.header_bytes != sidecar.header_bytes) {
    found.warnings.push_back(difference(beside, Option::header_bytes,
                                        "the sidecar says where each range begins: header bytes move none of them"));
  }
  if (const auto dtype = stated_dtype(options, sidecar.byteorder)) found.dtype = dtype;
  if (!found.dtype) found.dtype = with_order(options.cast, sidecar.byteorder);
  found.dtype = with_order(found.dtype, byteorder_of(options));
  if (options.trailing_shape) found.trailing_shape = options.trailing_shape;
  if (found.set_by.empty() && (found.dtype || found.trailing_shape)) found.set_by = "argument";
  if (!options.header_bytes || found.ranges) return;
  if (found.stated.empty()) found.stated.assign(found.shards(), Stated{});
  for (Stated& stated : found.stated) stated.offset = options.header_bytes;
}

void compare_with_manifest(Found& found, const OpenOptions& options) {
  Beside beside{found.manifest_path, "manifest", found.dtype, {}, found.trailing_shape, {}};
  if (!options.sidecar.empty()) {
    found.warnings.push_back(
        difference(beside, Option::sidecar, "a manifest describes these shards: the sidecar is not read"));
  }
  if (found.format != "raw") return;
  check_arguments(found, options);
  if (found.dtype && found.dtype->byte_order != ByteOrder::none) beside.byteorder = found.dtype->byte_order;
  beside.header_bytes = header_of(found, options.header_bytes);
  compare(found, beside, options);
}

bool has_parts_of_files(const Found& recorded) {
  if (recorded.format != "raw" || !recorded.dtype || !recorded.trailing_shape) return false;
  const std::optional<std::int64_t> row = checked_nbytes(*recorded.trailing_shape, recorded.dtype->itemsize);
  std::set<std::string> names;
  for (std::size_t i = 0; i < recorded.shards(); ++i) {
    const Stated& stated = recorded.stated[i];
    if (!names.insert(recorded.file_of(i).name).second) return true;
    const auto payload = row && stated.rows ? checked_multiply(*row, *stated.rows) : std::nullopt;
    const auto end = payload ? checked_add(*payload, stated.offset.value_or(0)) : std::nullopt;
    if (stated.bytes && end != stated.bytes) return true;
  }
  return false;
}

void describe_as_before(Found& found, const Found& before, const OpenOptions& options) {
  if (found.ranges || before.format != "raw" || before.stated.empty()) return;
  const bool has_sidecar = found.set_by == "sidecar";
  if (!found.dtype) found.dtype = with_order(before.dtype, byteorder_of(options));
  if (!found.trailing_shape) found.trailing_shape = before.trailing_shape;
  if (has_sidecar) return;  // it tells where data begin, and in which order they are
  std::map<std::string, const Stated*> by_name;
  for (std::size_t i = 0; i < before.shards(); ++i) by_name.emplace(before.file_of(i).name, &before.stated[i]);
  if (found.stated.empty()) found.stated.assign(found.shards(), Stated{});
  for (std::size_t i = 0; i < found.shards(); ++i) {
    const auto old = by_name.find(found.file_of(i).name);
    const Stated& as = old == by_name.end() ? before.stated.front() : *old->second;
    if (!options.header_bytes) found.stated[i].offset = as.offset;
    found.stated[i].order = as.order;
  }
}

}  // namespace loadstone::loader
