#include "cli/picture.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace loadstone::cli {
namespace {

/// Character columns of the cuts: 0 to width - 1.
std::vector<int> columns_of(std::span<const std::int64_t> cuts, int width) {
  const auto extent = static_cast<double>(cuts.back() - cuts.front());
  std::vector<int> columns;
  for (const std::int64_t cut : cuts) {
    const double part = extent > 0 ? static_cast<double>(cut - cuts.front()) / extent : 0;
    columns.push_back(static_cast<int>(std::lround(part * (width - 1))));
  }
  return columns;
}

void put_label(std::vector<std::string>& cells, int begin, int end, const std::string& label) {
  const int room = end - begin - 1;
  const int length = static_cast<int>(label.size());
  if (room < length) return;
  const int start = begin + 1 + (room - length) / 2;
  auto at = static_cast<std::size_t>(start);
  for (const char letter : label) cells[at++] = std::string(1, letter);
}

}  // namespace

std::string ruler(std::span<const std::int64_t> cuts, std::string_view prefix, int width) {
  if (cuts.size() < 2 || width < 2) return "";
  const std::vector<int> columns = columns_of(cuts, width);
  std::vector<std::string> cells(static_cast<std::size_t>(width), "─");
  for (std::size_t part = 0; part + 1 < columns.size(); ++part) {
    put_label(cells, columns[part], columns[part + 1], fmt::format(" {}{} ", prefix, part));
  }
  for (const int column : columns) cells[static_cast<std::size_t>(column)] = "┼";
  cells.front() = "├";
  cells.back() = "┤";
  std::string line;
  for (const std::string& cell : cells) line += cell;
  return line;
}

}  // namespace loadstone::cli
