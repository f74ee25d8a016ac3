#include "loader/options_text.hpp"

#include <fmt/format.h>

#include <string_view>
#include <variant>

namespace loadstone::loader {
namespace {

std::string text_of(const std::optional<std::int64_t>& number) { return number ? fmt::format("{}", *number) : ""; }

std::string text_of(const Slice& slice) {
  return fmt::format("{}:{}:{}", text_of(slice.begin), text_of(slice.end), slice.step);
}

std::string text_of(const Ellipsis& /*rest*/) { return "..."; }

std::string text_of(const Selection& selection) {
  std::string text;
  for (const auto& entry : selection) {
    if (!text.empty()) text += ',';
    text += std::visit([](const auto& one) { return text_of(one); }, entry);
  }
  return text;
}

std::string_view text_of(Casting casting) {
  switch (casting) {
    case Casting::checked:
      return "checked";
    case Casting::lossy:
      return "lossy";
    default:
      return "lossless";
  }
}

}  // namespace

std::string options_text(const LoadOptions& options) {
  std::string text = fmt::format("split {}", options.split ? text_of(options.split) : "none");
  text += options.tiles == Tiles::ceil ? ", tiles ceil" : ", tiles balanced";
  if (options.has_rows_per_rank) text += fmt::format(", rows per rank {}", fmt::join(options.rows_per_rank, ","));
  if (options.overdecompose != 1) text += fmt::format(", overdecompose {}", options.overdecompose);
  if (options.rows) text += ", rows " + text_of(*options.rows);
  if (!options.select.empty()) text += ", select " + text_of(options.select);
  if (options.dtype) text += ", dtype " + options.dtype->str();
  text += fmt::format(", casting {}", text_of(options.casting));
  if (options.verify == Verify::crc) text += ", verify crc";
  if (!options.device.empty()) text += ", device " + options.device;
  return text;
}

}  // namespace loadstone::loader
