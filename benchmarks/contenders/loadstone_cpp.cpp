// Loadstone from C++: load, stream or open as any program would call them.
#include <loadstone/loadstone.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "memory.hpp"
#include "protocol.hpp"

namespace {

using loadstone::LoadOptions;

constexpr std::int64_t kBatchesInCap = 8;

bench::Report report_of(const loadstone::LoadStats& stats) {
  bench::Report report;
  for (const auto& [name, seconds] : stats.seconds_by_step) report.stages[name] = seconds;
  report.counts = {{"bytes_wanted", stats.bytes_wanted},
                   {"bytes_read", stats.bytes_read},
                   {"bytes_in_place", stats.bytes_in_place},
                   {"bytes_staged", stats.bytes_staged},
                   {"requests", stats.requests},
                   {"opens", stats.opens},
                   {"budget_peak", stats.peak_bytes},
                   {"staging_bytes_new", stats.staging_bytes_new}};
  for (const auto& [way, bytes] : stats.bytes_by_way) report.counts["way_" + way] = bytes;
  return report;
}

void add(bench::Report& sum, const bench::Report& part) {
  for (const auto& [name, seconds] : part.stages) sum.stages[name] += seconds;
  for (const auto& [name, count] : part.counts) {
    std::int64_t& known = sum.counts[name];
    known = name == "budget_peak" ? std::max(known, count) : known + count;
  }
}

class Loadstone final : public bench::Contender {
 public:
  void prepare(const bench::Job& job) override {
    options_.io.backend = job.word("backend", "");
    options_.io.direct = job.word("direct", "");
    options_.io.mapped = job.word("mapped", "");
    options_.io.landing = job.word("landing", "");
    options_.io.request_bytes = job.number("request", 0);
    options_.io.depth = job.number("depth", 0);
    if (job.options.contains("budget")) options_.budget_bytes = job.number("budget", 0);
    if (job.action == "stream") options_.budget_bytes = job.cap_bytes / kBatchesInCap * (kBatchesInCap - 1);
    if (job.present) {
      present_ = bench::Memory(job.bytes, true);
      options_.out = loadstone::Destination{present_.bytes(), {}, {}, {}};
    }
  }

  bench::Report run(const bench::Job& job) override {
    if (job.action == "stream") return stream(job);
    if (job.action == "twice") return twice(job);
    if (job.action == "scan") {
      dataset_ = loadstone::open({job.folder});
      return {{}, {{"shards", static_cast<std::int64_t>(dataset_->shards.size())}, {"rows", dataset_->rows()}}};
    }
    loaded_ = loadstone::load({job.folder}, options_);
    return report_of(loaded_->stats);
  }

  std::string digest(const bench::Job& job) override {
    if (job.action == "stream") return streamed_.take();
    if (loaded_) return bench::digest_of_pieces(loaded_->local_bytes(), job.pieces);
    std::string rows;
    for (const auto& shard : dataset_->shards) rows += fmt::format("{}{}", rows.empty() ? "" : ",", shard.rows);
    return fmt::format("{{\"scan\": \"{} {}\"}}", dataset_->dtype.name(), rows);
  }

 private:
  /// One load after the other in one context; the first result is gone before the second is made.
  bench::Report twice(const bench::Job& job) {
    options_.context = std::make_shared<loadstone::Context>();
    const double start = bench::seconds_now();
    loaded_ = loadstone::load({job.folder}, options_);
    const double middle = bench::seconds_now();
    loaded_.reset();
    const double again = bench::seconds_now();
    loaded_ = loadstone::load({job.folder}, options_);
    const double end = bench::seconds_now();
    return {{{"first", middle - start}, {"second", end - again}}, report_of(loaded_->stats).counts};
  }

  /// Batches of an eighth of the cap, and the rest of it as budget: several are read while one is used.
  bench::Report stream(const bench::Job& job) {
    bench::Report report;
    loadstone::BatchStream stream({job.folder},
                                  std::max<std::int64_t>(1, job.cap_bytes / kBatchesInCap / job.row_bytes), options_);
    while (auto batch = stream.next()) {
      streamed_.add(batch->local_bytes());
      add(report, report_of(batch->stats));
    }
    return report;
  }

  bench::Memory present_;
  LoadOptions options_;
  std::optional<loadstone::DistributedArray> loaded_;
  std::optional<loadstone::Dataset> dataset_;
  bench::StreamDigest streamed_;
};

}  // namespace

int main() {
  Loadstone contender;
  return bench::serve(contender);
}
