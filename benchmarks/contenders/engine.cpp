// The engine alone: whole files, each onto a page of its own, as the raw read (C1) does it. Nothing is discovered,
// planned or placed; what a load loses to that is the difference to its own line.
#include "io/engine.hpp"

#include <algorithm>
#include <utility>

#include "core/pages.hpp"
#include "core/status.hpp"
#include "protocol.hpp"

namespace {

using loadstone::Ledger;
using loadstone::Pages;
using loadstone::Status;
namespace io = loadstone::io;

constexpr std::int64_t kPageBytes = 4096;
constexpr std::int64_t kBudgetBytes = std::int64_t{256} << 20;

/// Hands out one read a file.
class WholeFiles final : public io::ReadSource {
 public:
  explicit WholeFiles(std::span<const std::span<std::byte>> places) : places_(places) {}

  Next next(io::Read& read) override {
    if (next_ == places_.size()) return Next::end;
    read = {};
    read.file = static_cast<std::int64_t>(next_);
    read.destination = places_[next_++];
    return Next::read;
  }
  Status done(const io::Read& /*read*/) override { return {}; }
  [[nodiscard]] std::int64_t bytes_expected() const override {
    std::int64_t sum = 0;
    for (const auto place : places_) sum += std::ssize(place);
    return sum;
  }

 private:
  std::span<const std::span<std::byte>> places_;
  std::size_t next_ = 0;
};

class EngineAlone final : public bench::Contender {
 public:
  void prepare(const bench::Job& job) override {
    settings_.backend = job.word("backend", settings_.backend);
    settings_.direct = job.word("direct", settings_.direct);
    settings_.mapped = job.word("mapped", settings_.mapped);
    settings_.request_bytes = job.number("request", 0);
    settings_.depth = job.number("depth", 0);
    budget_bytes_ = job.number("budget", kBudgetBytes);
    if (!job.present) return;
    memory_ = Pages(job.number("file_bytes", 0) + std::ssize(job.files) * kPageBytes);
    std::ranges::fill(memory_.bytes(), std::byte{1});
  }

  bench::Report run(const bench::Job& job) override {
    const io::Opener opener;
    const std::vector<io::InputFile> files = find(job, opener);
    if (!job.present) memory_ = Pages(room_for(files));
    place(files);
    Ledger ledger(budget_bytes_);
    const auto engine = value_or_throw(io::Engine::make(settings_, opener, ledger));
    WholeFiles source(places_);
    throw_if_failed(engine->run(files, source, {}));
    return report(engine->take_stats());
  }

  /// A shard is what its file ends with; what stands before it, the header, is read as well.
  std::string digest(const bench::Job& job) override {
    std::vector<std::span<const std::byte>> shards;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      shards.emplace_back(places_[i].last(static_cast<std::size_t>(job.pieces.at(i))));
    }
    return bench::digest_of_parts(shards);
  }

 private:
  static std::vector<io::InputFile> find(const bench::Job& job, const io::Opener& opener) {
    std::vector<io::InputFile> files;
    for (const std::string& name : job.files) {
      io::InputFile file;
      file.name = {job.folder, name};
      const io::Descriptor descriptor = value_or_throw(opener.open(file.name));
      file.identity = value_or_throw(io::identity_of(descriptor.get(), name));
      file.shard = std::ssize(files);
      files.push_back(std::move(file));
    }
    return files;
  }

  static std::int64_t room_of(const io::InputFile& file) {
    return (file.identity.size + kPageBytes - 1) / kPageBytes * kPageBytes;
  }
  static std::int64_t room_for(std::span<const io::InputFile> files) {
    std::int64_t bytes = 0;
    for (const io::InputFile& file : files) bytes += room_of(file);
    return bytes;
  }

  void place(std::span<const io::InputFile> files) {
    std::span<std::byte> rest = memory_.bytes();
    for (const io::InputFile& file : files) {
      places_.push_back(rest.first(static_cast<std::size_t>(file.identity.size)));
      rest = rest.subspan(static_cast<std::size_t>(room_of(file)));
    }
  }

  static bench::Report report(const loadstone::LoadStats& stats) {
    bench::Report report;
    report.counts = {{"bytes_wanted", stats.bytes_wanted},
                     {"bytes_read", stats.bytes_read},
                     {"bytes_in_place", stats.bytes_in_place},
                     {"bytes_staged", stats.bytes_staged},
                     {"requests", stats.requests},
                     {"opens", stats.opens}};
    for (const auto& [way, bytes] : stats.bytes_by_way) report.counts["way_" + way] = bytes;
    return report;
  }

  io::EngineSettings settings_;
  std::int64_t budget_bytes_ = 0;
  Pages memory_;
  std::vector<std::span<std::byte>> places_;
};

}  // namespace

int main() {
  EngineAlone contender;
  return bench::serve(contender);
}
