#include "loader/listing.hpp"

#include "core/guarded.hpp"
#include "core/text.hpp"
#include "loader/paths.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>
#include <sstream>
#include <string_view>
#include <vector>

namespace loadstone::loader {
namespace {

constexpr std::size_t kNamed = 5;  // shards that a fault names (DS18)

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string text_of(const Stated& stated) {
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? fmt::format("{}", *value) : std::string("unstated");
  };
  std::string text =
      fmt::format("rows {}, bytes {}, offset {}", number(stated.rows), number(stated.bytes), number(stated.offset));
  if (stated.order == StorageOrder::f) text += ", column-major";
  if (!stated.xxh3_128.empty()) text += ", xxh3_128 " + stated.xxh3_128;
  return text;
}

/// One shard as it was found: its path and what is stated of it.
std::string shard_text(const Found& found, std::size_t shard) {
  if (shard >= found.shards()) return "none";
  std::string text = path_of(found.file_of(shard));
  if (!found.stated.empty()) text += " (" + text_of(found.stated[shard]) + ')';
  return text;
}

bool same_shard(const Found& a, const Found& b, std::size_t shard) {
  if (shard >= a.shards() || shard >= b.shards()) return false;
  const io::FileName& one = a.file_of(shard);
  const io::FileName& other = b.file_of(shard);
  return one.root == other.root && one.name == other.name && a.stated.empty() == b.stated.empty() &&
         (a.stated.empty() || a.stated[shard] == b.stated[shard]);
}

/// What is said of all shards together.
std::string whole_text(const Found& found) {
  std::string text = counted(static_cast<std::int64_t>(found.shards()), "shard");
  if (!found.format.empty()) text += ", format " + found.format;
  if (found.dtype) text += ", type " + found.dtype->name();
  if (found.trailing_shape) text += ", trailing shape " + shape_text(*found.trailing_shape);
  if (found.generation != 0) text += fmt::format(", generation {}", found.generation);
  if (!found.faults.empty()) text += ", " + found.faults.front().kind + ": " + found.faults.front().message;
  return text;
}

std::vector<std::string> differing_shards(const Found& of_rank_0, const Found& mine) {
  std::vector<std::string> texts;
  const std::size_t shards = std::max(of_rank_0.shards(), mine.shards());
  for (std::size_t shard = 0; shard < shards && texts.size() < kNamed; ++shard) {
    if (same_shard(of_rank_0, mine, shard)) continue;
    texts.push_back(fmt::format("shard {}: rank 0 {}, here {}", shard, escape(shard_text(of_rank_0, shard)),
                                escape(shard_text(mine, shard))));
  }
  return texts;
}

}  // namespace

View own_view() {
  return {host_name(), [](const Paths& paths, const ExpandContext& context) {
            std::istringstream none;
            return expand(paths, context, none);
          }};
}

Result<Comparers> choose_comparers(comm::Agreement& agreement, std::string_view phase, const std::string& host,
                                   Status ready) {
  auto all = agreement.allgather(std::as_bytes(std::span(host)), phase, std::move(ready));
  if (!all.ok()) return std::move(all).status();
  int rank = 0;
  int first = -1;  // the lowest rank of this node
  std::string_view of_rank_0;
  Comparers comparers;
  all->for_each([&](std::span<const std::byte> part) {
    const std::string_view theirs(reinterpret_cast<const char*>(part.data()), part.size());
    if (rank == 0) of_rank_0 = theirs;
    if (theirs != of_rank_0) comparers.any = true;
    if (first < 0 && theirs == host) first = rank;
    ++rank;
  });
  comparers.me = first == agreement.rank() && first != 0;
  return comparers;
}

Status compare_listings(const Found& of_rank_0, const Found& mine, int rank, const std::string& host) {
  const std::vector<std::string> shards = differing_shards(of_rank_0, mine);
  const std::string wanted = whole_text(of_rank_0);
  const std::string got = whole_text(mine);
  if (shards.empty() && wanted == got) return {};
  std::string message = fmt::format("rank {} on {} finds {}; rank 0 finds {}", rank, host, got, wanted);
  for (const std::string& shard : shards) message += "; " + shard;
  Fault fault = make_fault("ranks.differ", std::move(message),
                           "See that every node has the same files there, and that none shows an old state of them");
  fault.path = shards.empty() ? of_rank_0.manifest_path : of_rank_0.directory;
  fault.item = "the listing";
  fault.wanted = wanted;
  fault.got = got;
  Failure failure = failure_of(std::move(fault));
  failure.rank = rank;
  return failure;
}

}  // namespace loadstone::loader
