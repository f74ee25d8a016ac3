#include "loader/row_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <string_view>

#include "core/checked.hpp"
#include "core/option_words.hpp"
#include "core/text.hpp"
#include "loader/test_values.hpp"

namespace loadstone::loader {
namespace {

Fault bad_rows(std::string message, Value wanted, Value got) {
  return {.code = Code::bad_argument,
          .kind = "write.rows",
          .message = std::move(message),
          .remedy = fmt::format("Set {}, {}, or one number of rows a shard that add up to the first extent",
                                named(Option::row_rule, "uneven"), named(Option::row_rule, "uniform")),
          .item = "rows",
          .wanted = std::move(wanted),
          .got = std::move(got)};
}

Result<std::vector<std::int64_t>> parse_list(const std::string& text) {
  std::vector<std::int64_t> rows;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::int64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 0) {
      return bad_rows(fmt::format("\"{}\" is no list of rows", escape(text)), {}, text);
    }
    rows.push_back(number);
    if (next == end) return rows;
    if (*next != ',') return bad_rows(fmt::format("\"{}\" is no list of rows", escape(text)), {}, text);
    at = next + 1;
  }
}

/// Cuts at random places, then one row more for everybody.
std::vector<std::int64_t> uneven(std::int64_t total, std::int64_t shards, std::uint64_t seed) {
  const std::int64_t spare = total - shards;
  std::vector<std::int64_t> cuts = {0, spare};
  for (std::int64_t i = 1; i < shards; ++i) {
    const std::uint64_t word = mixed(seed ^ 0x726F7773, static_cast<std::uint64_t>(i));
    cuts.push_back(static_cast<std::int64_t>(word % (static_cast<std::uint64_t>(spare) + 1)));
  }
  std::sort(cuts.begin(), cuts.end());
  std::vector<std::int64_t> rows;
  for (std::size_t i = 1; i < cuts.size(); ++i) rows.push_back(cuts[i] - cuts[i - 1] + 1);
  return rows;
}

std::vector<std::int64_t> uniform(std::int64_t total, std::int64_t shards) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(shards), total / shards);
  for (std::int64_t i = 0; i < total % shards; ++i) ++rows[static_cast<std::size_t>(i)];
  return rows;
}

}  // namespace

Result<std::vector<std::int64_t>> rows_of_shards(const std::string& rows, std::int64_t total, std::int64_t shards,
                                                 std::uint64_t seed) {
  if (shards < 1) return bad_rows(fmt::format("{} shards cannot hold {} rows", shards, total), total, shards);
  if (rows == "uniform") return uniform(total, shards);
  if (rows == "uneven") {
    if (total >= shards) return uneven(total, shards, seed);
    Fault fault =
        bad_rows(fmt::format("{} rows are fewer than {} shards, and uneven gives each at least one", total, shards),
                 shards, total);
    fault.remedy = "Set " + named(Option::row_rule, "uniform") + ", or write fewer shards";
    return fault;
  }
  auto list = parse_list(rows);
  if (!list.ok()) return list;
  if (static_cast<std::int64_t>(list->size()) != shards) {
    return bad_rows(fmt::format("{} numbers of rows for {} shards", list->size(), shards), shards,
                    static_cast<std::int64_t>(list->size()));
  }
  std::int64_t sum = 0;
  for (const std::int64_t n : *list) {
    const auto next = checked_add(sum, n);
    if (!next) return bad_rows("the rows add up to more than 2^63 - 1", total, {});
    sum = *next;
  }
  if (sum != total) {
    return bad_rows(fmt::format("the rows add up to {}, the shape has {}", sum, total), total, sum);
  }
  return list;
}

}  // namespace loadstone::loader
