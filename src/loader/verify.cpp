// verify: every shard read once, shared over ranks, compared with the manifest or recorded in a new one (DS56 to DS58).
#include <fmt/format.h>
#include <loadstone/load.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "core/checked.hpp"
#include "core/text.hpp"
#include "formats/manifest.hpp"
#include "io/staging.hpp"
#include "loader/discover.hpp"
#include "loader/file_hasher.hpp"
#include "loader/manifest_file.hpp"
#include "loader/session.hpp"

namespace loadstone {
namespace {

using loader::FileSums;
using loader::Session;
using loader::Survey;

constexpr std::int64_t kBlockBytes = std::int64_t{1} << 20;
constexpr std::int64_t kSmallestBlockBytes = 64 * 1024;
constexpr std::int64_t kMostBlocks = 32;
constexpr double kProgressEvery = 0.1;

/// What travels between ranks of one hashed shard.
struct Record {
  std::int64_t shard = 0;
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::uint64_t crc32c = 0;
};

using AllSums = std::map<std::int64_t, FileSums>;

Fault differs(const Shard& shard, std::int64_t index, const std::string& wanted, const std::string& got) {
  return {.code = Code::checksum,
          .kind = "verify.differs",
          .message = "the xxh3-128 of the file is " + got + ", the manifest says " + wanted,
          .remedy = "Restore this shard, or record it anew with loadstone verify --write-manifest",
          .shard = index,
          .path = shard.path,
          .wanted = wanted,
          .got = got,
          .set_by = "manifest"};
}

Fault no_manifest(const Dataset& dataset) {
  return {.code = Code::mismatch,
          .kind = "complete.manifest",
          .message = "there is no manifest to compare the content with",
          .remedy = "Record one with loadstone verify --write-manifest",
          .path = dataset.shards.empty() ? std::string() : dataset.shards.front().path};
}

/// The hashing of this rank's share of the shards.
class Hashing {
 public:
  Hashing(Session& session, const Survey& survey, const VerifyOptions& options)
      : session_(session), survey_(survey), options_(options) {}

  /// Local. Shards that cannot be read become faults; other failures end it.
  Status run() {
    if (Status status = make_pool(); !status.ok()) return status;
    auto engine = session_.engine();
    if (!engine.ok()) return std::move(engine).status();
    std::vector<std::int64_t> left = my_share();
    while (!left.empty()) {
      Status status = hash(**engine, left);
      if (status.ok()) return {};
      if (!is_of_one_shard(status.failure())) return status;
      const std::int64_t bad = *status.failure().first().shard;
      faults_.push_back(status.failure().first());
      std::erase_if(left, [&](std::int64_t shard) { return shard == bad || sums_.contains(shard); });
    }
    return {};
  }

  [[nodiscard]] const AllSums& sums() const { return sums_; }
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }
  [[nodiscard]] std::int64_t bytes_read() const { return bytes_read_; }

 private:
  static bool is_of_one_shard(const Failure& failure) {
    const Fault& fault = failure.first();
    return fault.shard && (fault.code == Code::io || fault.code == Code::changed || fault.code == Code::truncated ||
                           fault.code == Code::not_found);
  }

  Status make_pool() {
    const std::int64_t budget = session_.ledger().limit_bytes();
    if (budget < kSmallestBlockBytes) {
      return Fault{.code = Code::budget,
                   .kind = "budget",
                   .message = fmt::format("verifying needs {} bytes, the budget is {}", kSmallestBlockBytes, budget),
                   .remedy = fmt::format("Give a budget of at least {} bytes", kSmallestBlockBytes),
                   .wanted = kSmallestBlockBytes,
                   .got = budget};
    }
    block_bytes_ = std::min(kBlockBytes, round_down(budget, kSmallestBlockBytes));
    const std::int64_t blocks = std::clamp<std::int64_t>(budget / block_bytes_, 1, kMostBlocks);
    pool_ = std::make_unique<io::StagingPool>(session_.ledger(), block_bytes_, blocks);
    auto first = pool_->try_lease();
    return first.ok() ? Status() : std::move(first).status();
  }

  /// Whole shards, balanced by bytes: the same answer on every rank.
  [[nodiscard]] std::vector<std::int64_t> my_share() const {
    const std::vector<Shard>& shards = survey_.dataset.shards;
    std::int64_t total = 0;
    for (const Shard& shard : shards) total += shard.identity.size + 1;
    const int ranks = session_.agreement().size();
    std::set<std::int64_t> troubled;
    for (const Fault& fault : survey_.faults) {
      if (fault.shard) troubled.insert(*fault.shard);
    }
    std::vector<std::int64_t> mine;
    std::int64_t before = 0;
    for (std::size_t i = 0; i < shards.size(); ++i) {
      const auto rank = static_cast<int>(static_cast<double>(before) / static_cast<double>(total) * ranks);
      before += shards[i].identity.size + 1;
      const auto index = static_cast<std::int64_t>(i);
      if (rank == session_.agreement().rank() && !troubled.contains(index)) mine.push_back(index);
    }
    return mine;
  }

  Status hash(io::Engine& engine, const std::vector<std::int64_t>& shards) {
    std::vector<io::InputFile> files;
    std::vector<loader::HashJob> jobs;
    for (const std::int64_t index : shards) {
      const Shard& shard = survey_.dataset.shards[static_cast<std::size_t>(index)];
      io::FileName name = shard.root.empty() ? io::FileName{"", shard.path} : io::FileName{shard.root, shard.name};
      files.push_back({std::move(name), shard.identity, index});
      jobs.push_back({shard.identity.size, shard.data_offset, shard.nbytes});
    }
    loader::FileHasher hasher(std::move(jobs), *pool_, block_bytes_, progress(), [this] {
      return session_.agreement().peer_has_failed() ? comm::Agreement::peer_failed() : Status();
    });
    Status status = engine.run(files, hasher, session_.interrupt());
    bytes_read_ += engine.take_stats().bytes_read;
    for (std::size_t i = 0; i < shards.size(); ++i) {
      if (hasher.sums()[i]) sums_[shards[i]] = *hasher.sums()[i];
    }
    return status;
  }

  std::function<void(std::int64_t)> progress() {
    if (!options_.progress) return {};
    std::int64_t wanted = 0;
    for (const std::int64_t index : my_share()) {
      wanted += survey_.dataset.shards[static_cast<std::size_t>(index)].identity.size;
    }
    return [report = options_.progress, wanted, start = steady_seconds(), last = 0.0](std::int64_t done) mutable {
      const double now = steady_seconds();
      if (now - last < kProgressEvery && done < wanted) return;
      last = now;
      report({done, wanted, now - start});
    };
  }

  Session& session_;
  const Survey& survey_;
  const VerifyOptions& options_;
  std::int64_t block_bytes_ = 0;
  std::unique_ptr<io::StagingPool> pool_;
  AllSums sums_;
  std::vector<Fault> faults_;
  std::int64_t bytes_read_ = 0;
};

/// Sums of all ranks on every rank.
AllSums gather(Session& session, const AllSums& mine) {
  std::vector<Record> records;
  for (const auto& [shard, sums] : mine) records.push_back({shard, sums.xxh3_128.high, sums.xxh3_128.low, sums.crc32c});
  auto all = session.agreement().allgather(std::as_bytes(std::span(records)));
  if (!all.ok()) session.fail(std::move(all).status());
  AllSums sums;
  for (const std::vector<std::byte>& part : *all) {
    for (std::size_t at = 0; at + sizeof(Record) <= part.size(); at += sizeof(Record)) {
      Record record;
      std::memcpy(&record, part.data() + at, sizeof(Record));
      sums[record.shard] = {{record.high, record.low}, static_cast<std::uint32_t>(record.crc32c)};
    }
  }
  return sums;
}

/// Faults of reading, of all ranks on every rank: they travel as one shard number a fault, and are rebuilt from it.
std::vector<Fault> unreadable(Session& session, const Survey& survey, const std::vector<Fault>& mine) {
  std::vector<std::array<std::int64_t, 3>> records;
  for (const Fault& fault : mine)
    records.push_back({*fault.shard, static_cast<std::int64_t>(fault.code), fault.system_errno});
  auto all = session.agreement().allgather(std::as_bytes(std::span(records)));
  if (!all.ok()) session.fail(std::move(all).status());
  std::vector<Fault> faults;
  for (const std::vector<std::byte>& part : *all) {
    for (std::size_t at = 0; at < part.size(); at += 3 * sizeof(std::int64_t)) {
      std::array<std::int64_t, 3> record{};
      std::memcpy(record.data(), part.data() + at, sizeof(record));
      const auto code = static_cast<Code>(record[1]);
      const int error = static_cast<int>(record[2]);
      faults.push_back({.code = code,
                        .kind = code == Code::changed ? "shard.changed" : "shard.unreadable",
                        .message = code == Code::changed
                                       ? "the file changed while it was read"
                                       : fmt::format("the file cannot be read: {}", std::strerror(error)),
                        .remedy = code == Code::changed ? "Verify again when nobody writes it"
                                                        : "Check the disk and the permissions",
                        .shard = record[0],
                        .path = survey.dataset.shards[static_cast<std::size_t>(record[0])].path,
                        .system_errno = error});
    }
  }
  return faults;
}

std::vector<Fault> compare(const Dataset& dataset, const AllSums& sums) {
  std::vector<Fault> faults;
  for (const auto& [index, sum] : sums) {
    const auto at = static_cast<std::size_t>(index);
    const std::string& wanted = dataset.manifest_hashes[at];
    const std::string got = sum.xxh3_128.hex();
    if (got != wanted) faults.push_back(differs(dataset.shards[at], index, wanted, got));
  }
  return faults;
}

/// Directory of the manifest and names in it; a dataset that is spread over directories has none.
Result<std::string> home_of(const Dataset& dataset) {
  namespace fs = std::filesystem;
  if (!dataset.manifest_path.empty()) return fs::path(dataset.manifest_path).parent_path().string();
  std::optional<std::string> home;
  for (const Shard& shard : dataset.shards) {
    const std::string directory = shard.root.empty() ? fs::path(shard.path).parent_path().string() : shard.root;
    if (home && *home != directory) {
      return Fault{.code = Code::bad_argument,
                   .kind = "verify.directories",
                   .message = "the shards stand in several directories, " + escape(*home) + " and " + escape(directory),
                   .remedy = "Record each directory by itself: a manifest names files below its own"};
    }
    home = directory;
  }
  return home.value_or(".").empty() ? std::string(".") : home.value_or(".");
}

formats::Manifest manifest_of(const Dataset& dataset, const AllSums& sums, const std::string& home) {
  formats::Manifest manifest;
  manifest.format = dataset.format;
  manifest.dtype = dataset.shards.empty() ? dataset.dtype : dataset.shards.front().dtype;
  manifest.trailing_shape = {dataset.shape.begin() + (dataset.shape.empty() ? 0 : 1), dataset.shape.end()};
  for (std::size_t i = 0; i < dataset.shards.size(); ++i) {
    const Shard& shard = dataset.shards[i];
    const FileSums& sum = sums.at(static_cast<std::int64_t>(i));
    const std::string name =
        shard.root.empty() ? std::filesystem::path(shard.path).lexically_relative(home).string() : shard.name;
    manifest.shards.push_back(
        {name, shard.rows, shard.identity.size, sum.xxh3_128.hex(), shard.data_offset, hex32(sum.crc32c), shard.order});
  }
  return manifest;
}

void record(Session& session, const Dataset& dataset, const AllSums& sums, VerifyReport& report) {
  Status mine = loader::guarded([&]() -> Status {
    auto home = home_of(dataset);
    if (!home.ok()) return std::move(home).status();
    report.manifest_written = *home + '/' + std::string(formats::kManifestName);
    formats::Manifest manifest = manifest_of(dataset, sums, *home);
    // One that cannot be read is replaced like none.
    const auto before = loader::read_manifest(*home, session.opener());
    if (before.ok() && *before) manifest.generation = (*before)->generation + 1;
    report.generation = manifest.generation;
    if (session.agreement().rank() != 0) return {};
    return loader::replace_manifest(*home, manifest);
  });
  session.verdict("commit", std::move(mine));
}

/// The report of everything that is wrong, in one failure.
void fail_on(Session& session, std::vector<Fault> faults, const char* phase) {
  if (faults.empty()) return;
  Failure failure;
  failure.total_faults = static_cast<std::int64_t>(faults.size());
  failure.faults = std::move(faults);
  failure.phase = phase;
  session.fail(std::move(failure));
}

}  // namespace

VerifyReport verify(const Paths& paths, const VerifyOptions& options, const CommPtr& comm) {
  const double start = steady_seconds();
  Session session(comm, {options.io, options.budget_bytes, options.deadline_s, {}, options.open.roots, options.stop});
  // What is to be recorded is what is there now, not what an older manifest says.
  const auto manifests = options.write_manifest ? loader::Manifests::renew : loader::Manifests::follow;
  auto found = loader::survey(paths, session.with_roots(options.open), std::nullopt, session.agreement(), manifests);
  if (!found.ok()) session.fail(std::move(found).status());
  const Survey& survey = *found;
  const Dataset& dataset = survey.dataset;
  VerifyReport report;
  report.shards = static_cast<std::int64_t>(dataset.shards.size());
  report.against_manifest = !dataset.manifest_path.empty() && !options.write_manifest;
  report.warnings = dataset.warnings;
  std::vector<Fault> faults = survey.faults;
  if (options.require_manifest && dataset.manifest_path.empty()) faults.push_back(no_manifest(dataset));
  const bool content = (report.against_manifest || options.write_manifest) && !options.structure_only;
  if (!content || (options.write_manifest && !faults.empty())) {
    fail_on(session, std::move(faults), "discover");
    report.seconds = steady_seconds() - start;
    return report;
  }
  Hashing hashing(session, survey, options);
  session.verdict("verify", loader::guarded([&] { return hashing.run(); }));
  const AllSums sums = gather(session, hashing.sums());
  std::ranges::move(unreadable(session, survey, hashing.faults()), std::back_inserter(faults));
  if (report.against_manifest) std::ranges::move(compare(dataset, sums), std::back_inserter(faults));
  fail_on(session, std::move(faults), "verify");
  report.shards_verified = report.against_manifest ? static_cast<std::int64_t>(sums.size()) : 0;
  std::array<std::int64_t, 1> bytes = {hashing.bytes_read()};
  if (Status status = session.agreement().allreduce(bytes, Reduce::sum); !status.ok()) session.fail(std::move(status));
  report.bytes_read = bytes[0];
  if (options.write_manifest) record(session, dataset, sums, report);
  report.seconds = steady_seconds() - start;
  return report;
}

}  // namespace loadstone
