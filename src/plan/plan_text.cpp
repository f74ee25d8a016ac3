// The plan as text for people, and as JSON.
#include "core/json_writer.hpp"
#include "core/text.hpp"

#include <loadstone/plan.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace loadstone {
namespace {

// One screen: a terminal has some 50 lines of some 160 characters.
constexpr std::size_t kShownRanks = 32;
constexpr std::size_t kShownOverlaps = 4;

std::string size_text(std::int64_t bytes) {
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < kUnits.size()) {
    size /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string overlap_text(const Overlap& overlap) {
  return fmt::format("{}[{}:{}] -> [{}:{}]", overlap.shard, overlap.rows.begin, overlap.rows.end, overlap.to.begin,
                     overlap.to.end);
}

std::string overlaps_text(const std::vector<Overlap>& overlaps) {
  if (overlaps.empty()) return "nothing";
  const std::size_t shown = std::min(kShownOverlaps, overlaps.size());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < shown; ++i) texts.push_back(overlap_text(overlaps[i]));
  if (shown < overlaps.size()) {
    texts.push_back(fmt::format("+{} more", grouped(static_cast<std::int64_t>(overlaps.size() - shown))));
  }
  return joined(texts);
}

std::string layout_text(const LoadPlan& plan) {
  const std::string ranks = counted(plan.total_ranks, "rank");
  const std::string array = fmt::format("{} {}", shape_text(plan.shape), plan.dtype.name());
  if (plan.tiles == "replicated") return fmt::format("{}, whole on each of {}", array, ranks);
  if (plan.split < 0) return fmt::format("{}, cut along several axes over {}, {}", array, ranks, plan.tiles);
  return fmt::format("{}, axis {} split over {}, {}", array, plan.split, ranks, plan.tiles);
}

std::string budget_text(const LoadPlan& plan) {
  return fmt::format("{} a rank{}, peak {}, smallest that works {}", size_text(plan.budget_bytes),
                     plan.budget_guessed ? " (guessed)" : "", size_text(plan.peak_bytes),
                     size_text(plan.smallest_budget_bytes));
}

std::string staging_text(const LoadPlan& plan) {
  return plan.block_bytes == 0 ? "none" : fmt::format("blocks of {}", size_text(plan.block_bytes));
}

/// Of the ranks that were planned: those are all ranks, unless one was asked for.
std::string bytes_text(const LoadPlan& plan) {
  std::int64_t wanted = 0;
  for (const RankPlan& rank : plan.ranks) wanted += rank.bytes_wanted;
  const double amplification = wanted == 0 ? 1 : static_cast<double>(plan.bytes_read) / static_cast<double>(wanted);
  std::string figures = fmt::format("{} wanted, {} read (x{:.3f}), {} sent", grouped(wanted), grouped(plan.bytes_read),
                                    amplification, grouped(plan.bytes_sent));
  if (plan.totals_exact) return figures;
  return fmt::format("{} by this rank; {} wanted by all", figures, grouped(plan.bytes_wanted));
}

std::string requests_text(const LoadPlan& plan) {
  return fmt::format("{} of at most {}{}", grouped(plan.requests), size_text(plan.request_bytes),
                     plan.totals_exact ? "" : ", by this rank");
}

std::string ranks_text(const LoadPlan& plan) {
  const std::size_t shown = std::min(kShownRanks, plan.ranks.size());
  std::size_t rank_width = 0;
  std::size_t box_width = 0;
  std::size_t size_width = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    rank_width = std::max(rank_width, fmt::formatted_size("{}", plan.ranks[i].rank));
    box_width = std::max(box_width, to_string(plan.ranks[i].box).size());
    size_width = std::max(size_width, size_text(plan.ranks[i].bytes_wanted).size());
  }
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const RankPlan& rank = plan.ranks[i];
    text += fmt::format("  {:>{}}  {:<{}}  {:>{}}  {}\n", rank.rank, rank_width, to_string(rank.box), box_width,
                        size_text(rank.bytes_wanted), size_width, overlaps_text(rank.overlaps));
  }
  if (shown < plan.ranks.size()) {
    text += fmt::format("  +{} more ranks\n", grouped(static_cast<std::int64_t>(plan.ranks.size() - shown)));
  }
  return text;
}

void write_overlap(JsonWriter& json, const Overlap& overlap) {
  json.begin_object();
  json.field("shard", overlap.shard);
  json.key("rows").value(std::array{overlap.rows.begin, overlap.rows.end});
  json.key("to").value(std::array{overlap.to.begin, overlap.to.end});
  json.field("offset", overlap.offset).field("nbytes", overlap.nbytes);
  json.end_object();
}

void write_rank(JsonWriter& json, const RankPlan& rank) {
  json.begin_object().field("rank", rank.rank);
  json.key("box").begin_array(true);
  for (const Interval& cut : rank.box) json.value(std::array{cut.begin, cut.end});
  json.end_array();
  json.key("overlaps").begin_array();
  for (const Overlap& overlap : rank.overlaps) write_overlap(json, overlap);
  json.end_array();
  json.field("bytes_wanted", rank.bytes_wanted).field("bytes_read", rank.bytes_read);
  json.field("requests", rank.requests).end_object();
}

void write_layout(JsonWriter& json, const LoadPlan& plan) {
  json.key("split");
  plan.split < 0 ? json.null() : json.value(plan.split);
  json.field("tiles", plan.tiles).field("shape", plan.shape).field("dtype", plan.dtype.str());
}

}  // namespace

std::string LoadPlan::to_text() const {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<9} {}\n", name, value);
  };
  line("strategy", fmt::format("{}. {}", strategy, reason));
  line("result", layout_text(*this));
  line("budget", budget_text(*this));
  line("staging", staging_text(*this));
  line("bytes", bytes_text(*this));
  line("requests", requests_text(*this));
  line("rounds", grouped(rounds));
  line("ranks", "box, bytes wanted, shard[rows] -> [rows of the tile]");
  return text + ranks_text(*this);
}

std::string LoadPlan::to_json() const {
  JsonWriter json;
  json.begin_object().field("strategy", strategy).field("reason", reason);
  write_layout(json, *this);
  json.field("budget_bytes", budget_bytes).field("budget_guessed", budget_guessed);
  json.field("smallest_budget_bytes", smallest_budget_bytes).field("peak_bytes", peak_bytes);
  json.field("block_bytes", block_bytes).field("request_bytes", request_bytes).field("rounds", rounds);
  json.field("bytes_wanted", bytes_wanted).field("bytes_read", bytes_read).field("bytes_sent", bytes_sent);
  json.field("requests", requests).field("total_ranks", total_ranks).field("totals_exact", totals_exact);
  json.key("ranks").begin_array();
  for (const RankPlan& rank : ranks) write_rank(json, rank);
  return json.end_array().end_object().take();
}

}  // namespace loadstone
