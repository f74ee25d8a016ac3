#include "cases.hpp"

#include "core/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bench {
namespace {

using loadstone::CopyAxis;
using loadstone::CopyThresholds;
using loadstone::DType;

DType type(const char* text) { return *loadstone::parse_dtype(text); }

class Cases {
 public:
  Cases(std::int64_t bytes, bool shipped) : bytes_(bytes), past_(shipped ? CopyThresholds{} : past_cache()) {}

  void within_the_cache() {
    const std::int64_t most = std::min(bytes_, loadstone::stream_total_bytes());
    for (const std::int64_t n : {most / 4, most}) {
      add(fmt::format("contiguous, {} KiB, in the cache", n >> 10), "1.0",
          {type("|u1"), type("|u1"), {{n, 1, 1}}, in_cache()});
    }
  }

  void runs() {
    add("contiguous, past the cache", "0.62-0.84", {type("|u1"), type("|u1"), {{bytes_, 1, 1}}, past_});
    for (const std::int64_t run : {4096, 1024, 256}) gathered(run, "0.62-0.84");
    for (const std::int64_t run : {192, 128, 64}) gathered(run, "1.2-1.5");
    for (const std::int64_t run : {256, 64}) scattered(run);
  }

  /// Each source line holds a run for each of several targets, all of which are served.
  void dealt() {
    const auto deal = [&](std::int64_t run, const char* aim) {
      constexpr std::int64_t kTargets = 8;
      const std::int64_t rows = bytes_ / run / kTargets;
      add(fmt::format("runs of {} B dealt to {} targets", run, kTargets), aim,
          {type("|u1"), type("|u1"), {{kTargets, run, rows * run}, {rows, kTargets * run, run}, {run, 1, 1}}, past_});
    };
    deal(8, "2.5");
    deal(16, "2.1");
    deal(32, "1.8");
  }

  /// Column-major to row-major.
  void orders() {
    for (const char* const text : {"|u1", "<i2", "<f4", "<f8", "<c16"}) order(text, text, 4096, "0.52-0.60");
    order("<f4", "<f4", 1000, "");
    order(">f4", "<f4", 4096, "");
    order("<f4", "<f8", 4096, "");
  }

  void changed() {
    for (const auto& [from, to] : {std::pair{">i2", "<i2"}, {">f4", "<f4"}, {">f8", "<f8"}, {">c16", "<c16"}}) {
      dense(from, to);
    }
    for (const auto& [from, to] :
         {std::pair{"<f4", "<f8"}, {"<f8", "<f4"}, {"<i4", "<f8"}, {"|u1", "<f4"}, {"<f2", "<f4"}, {">f4", "<f8"}}) {
      dense(from, to);
    }
  }

  std::vector<Case> take() { return std::move(cases_); }

 private:
  void add(std::string name, std::string aim, Trial trial) {
    cases_.push_back({std::move(name), std::move(aim), std::move(trial)});
  }

  /// Every second run of the source.
  void gathered(std::int64_t run, const char* aim) {
    add(fmt::format("runs of {} B gathered", run), aim,
        {type("|u1"), type("|u1"), {{bytes_ / 2 / run, 2 * run, run}, {run, 1, 1}}, past_});
  }

  void scattered(std::int64_t run) {
    add(fmt::format("runs of {} B scattered", run), "",
        {type("|u1"), type("|u1"), {{bytes_ / 2 / run, run, 2 * run}, {run, 1, 1}}, past_});
  }

  void order(const char* from, const char* to, std::int64_t columns, const char* aim) {
    const DType source = type(from);
    const DType target = type(to);
    const std::int64_t rows = bytes_ / std::max(source.itemsize, target.itemsize) / columns;
    add(fmt::format("column- to row-major, {} to {}, {} columns", from, to, columns), aim,
        {source,
         target,
         {{rows, source.itemsize, columns * target.itemsize}, {columns, rows * source.itemsize, target.itemsize}},
         past_});
  }

  void dense(const char* from, const char* to) {
    const DType source = type(from);
    const DType target = type(to);
    const std::int64_t n = bytes_ / std::max(source.itemsize, target.itemsize);
    add(fmt::format("{} to {}", from, to), "", {source, target, {{n, source.itemsize, target.itemsize}}, past_});
  }

  std::int64_t bytes_;
  CopyThresholds past_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> make_cases(std::int64_t bytes, bool shipped) {
  Cases cases(bytes, shipped);
  cases.within_the_cache();
  cases.runs();
  cases.dealt();
  cases.orders();
  cases.changed();
  return cases.take();
}

}  // namespace bench
