// verify: every shard read once, shared over ranks, compared with the manifest or recorded in a new one (DS56 to DS58).
#include <fmt/format.h>
#include <loadstone/load.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

#include "core/option_words.hpp"
#include "core/text.hpp"
#include "formats/manifest.hpp"
#include "loader/discover.hpp"
#include "loader/hashing.hpp"
#include "loader/manifest_changes.hpp"
#include "loader/manifest_file.hpp"
#include "loader/notices.hpp"
#include "loader/option_checks.hpp"
#include "loader/report.hpp"
#include "loader/session.hpp"
#include "loader/wire.hpp"

namespace loadstone {
namespace {

using loader::Session;
using loader::Survey;

/// What travels between ranks of one hashed shard.
struct Record {
  std::int64_t shard = 0;
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::uint64_t crc32c = 0;
};

using loader::AllSums;

Fault no_manifest(const Dataset& dataset) {
  return {.code = Code::mismatch,
          .kind = "complete.manifest",
          .message = "there is no manifest to compare the content with",
          .remedy = "Record one: " + named(Option::record, "DIR"),
          .path = dataset.files.empty() ? std::string() : dataset.files.front().path};
}

/// Sums of all ranks on every rank.
AllSums gather(Session& session, const AllSums& mine) {
  const comm::Gathered all = session.gather("verify", [&] {
    std::vector<Record> records;
    for (const auto& [shard, its] : mine) records.push_back({shard, its.xxh3_128.high, its.xxh3_128.low, its.crc32c});
    return records;
  });
  AllSums sums;
  for (std::size_t at = 0; at + sizeof(Record) <= all.bytes.size(); at += sizeof(Record)) {
    Record record;
    std::memcpy(&record, all.bytes.data() + at, sizeof(Record));
    sums[record.shard] = {{record.high, record.low}, static_cast<std::uint32_t>(record.crc32c)};
  }
  return sums;
}

/// Faults of reading, of all ranks on every rank: they travel as one shard number a fault, and are rebuilt from it.
std::vector<Fault> unreadable(Session& session, const Survey& survey, const std::vector<Fault>& mine) {
  using ReadFault = std::array<std::int64_t, 3>;
  const comm::Gathered all = session.gather("verify", [&] {
    std::vector<ReadFault> records;
    for (const Fault& fault : mine)
      records.push_back({*fault.shard, static_cast<std::int64_t>(fault.code), fault.system_errno});
    return records;
  });
  std::vector<Fault> faults;
  for (std::size_t at = 0; at + sizeof(ReadFault) <= all.bytes.size(); at += sizeof(ReadFault)) {
    ReadFault record{};
    std::memcpy(record.data(), all.bytes.data() + at, sizeof(record));
    const auto code = static_cast<Code>(record[1]);
    const int error = static_cast<int>(record[2]);
    faults.push_back(
        {.code = code,
         .kind = code == Code::changed ? "shard.changed" : "shard.unreadable",
         .message = code == Code::changed ? "the file changed while it was read"
                                          : fmt::format("the file cannot be read: {}", std::strerror(error)),
         .remedy = code == Code::changed ? "Verify again when nobody writes it" : "Check the disk and the permissions",
         .shard = record[0],
         .path = survey.dataset.file_of(survey.dataset.shards[static_cast<std::size_t>(record[0])]).path,
         .system_errno = error});
  }
  return faults;
}

/// Whether the payload of a shard is known to be what the manifest states, whatever else its file holds.
bool payload_is_right(const Dataset& dataset, std::int64_t shard, const loader::ShardContent& content) {
  return dataset.manifest_crc32c[static_cast<std::size_t>(shard)] == hex32(content.crc32c);
}

/// Of a file that differs, those shards are named whose payload is not known to be right; its first one if there is
/// none: then bytes between the payloads differ.
std::vector<Fault> compare(const Dataset& dataset, const AllSums& sums) {
  std::vector<std::vector<std::int64_t>> differing(dataset.files.size());
  for (const auto& [index, content] : sums) {
    const auto at = static_cast<std::size_t>(index);
    if (content.xxh3_128.hex() == dataset.manifest_hashes[at]) continue;
    differing[static_cast<std::size_t>(dataset.shards[at].file)].push_back(index);
  }
  std::vector<Fault> faults;
  for (std::vector<std::int64_t>& shards : differing) {
    const auto right = [&](std::int64_t shard) { return payload_is_right(dataset, shard, sums.at(shard)); };
    const auto rest = std::ranges::stable_partition(shards, std::not_fn(right));
    const bool between = rest.begin() == shards.begin() && !shards.empty();
    shards.erase(between ? shards.begin() + 1 : rest.begin(), shards.end());
    for (const std::int64_t shard : shards) {
      faults.push_back(loader::differs_from_manifest(dataset, shard, "xxh3-128 of the file",
                                                     dataset.manifest_hashes[static_cast<std::size_t>(shard)],
                                                     sums.at(shard).xxh3_128.hex()));
    }
  }
  std::ranges::sort(faults, {}, &Fault::shard);
  return faults;
}

/// Directory of the manifest and names in it; a dataset that is spread over directories has none.
Result<std::string> home_of(const Dataset& dataset) {
  namespace fs = std::filesystem;
  if (!dataset.manifest_path.empty()) return fs::path(dataset.manifest_path).parent_path().string();
  std::optional<std::string> home;
  for (const DataFile& file : dataset.files) {
    const std::string directory = file.root.empty() ? fs::path(file.path).parent_path().string() : file.root;
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
    const DataFile& file = dataset.file_of(shard);
    const loader::ShardContent& sum = sums.at(static_cast<std::int64_t>(i));
    const std::string name =
        file.root.empty() ? std::filesystem::path(file.path).lexically_relative(home).string() : file.name;
    manifest.shards.push_back(
        {name, shard.rows, file.identity.size, sum.xxh3_128.hex(), shard.data_offset, hex32(sum.crc32c), shard.order});
  }
  return manifest;
}

/// A manifest is JSON, and JSON is UTF-8: another name would come back as a different one.
Status check_names(const formats::Manifest& manifest, const std::string& home) {
  for (const formats::ManifestShard& shard : manifest.shards) {
    if (!first_invalid_utf8(shard.name)) continue;
    return Fault{.code = Code::bad_argument,
                 .kind = "verify.name",
                 .message = "the name is not UTF-8, so no manifest can hold it",
                 .remedy = "Rename the file",
                 .path = home + '/' + shard.name};
  }
  return {};
}

/// What rank 0 found out, on every rank.
void tell_changes(Session& session, const loader::ManifestChanges& of_rank_0, VerifyReport& report) {
  std::vector<std::byte> bytes;
  Status ready = guarded_action([&] {
    if (session.agreement().rank() == 0) bytes = loader::encode(of_rank_0);
  });
  Status sent = session.agreement().broadcast(bytes, 0, "commit", std::move(ready));
  if (!sent.ok()) session.fail(std::move(sent));
  loader::ManifestChanges changes = loader::decode_changes(bytes).value_or(loader::ManifestChanges{});
  report.replaced_generation = changes.generation;
  if (changes.generation > 0) report.generation = changes.generation + 1;
  report.changed = std::move(changes.changed);
  report.added = std::move(changes.added);
  report.dropped = std::move(changes.dropped);
  std::ranges::move(changes.warnings, std::back_inserter(report.warnings));
}

/// On rank 0: replaces what stands in `home` by the next generation. Under `strict` nothing is replaced that would be
/// told as a warning.
Status replace(Session& session, const std::string& home, formats::Manifest manifest, bool strict,
               loader::ManifestChanges& changes) {
  auto before = loader::read_manifest(home, session.opener());
  if (before.ok() && *before) {  // files that were listed do not know of it
    auto next = loader::next_generation((*before)->generation);
    if (!next.ok()) return std::move(next).status();
    manifest.generation = *next;
  }
  changes = loader::changes_between(std::move(before), manifest);
  for (Fault& warning : changes.warnings) {
    if (warning.path.empty()) warning.path = home + '/' + std::string(formats::kManifestName);
  }
  if (strict && !changes.warnings.empty()) {
    Failure failure;
    failure.total_faults = std::ssize(changes.warnings);
    failure.faults = std::move(changes.warnings);
    return failure;
  }
  return loader::replace_manifest(home, manifest);
}

void record(Session& session, const Dataset& dataset, const AllSums& sums, bool strict, VerifyReport& report) {
  loader::ManifestChanges changes;
  Status mine = guarded([&]() -> Status {
    auto home = home_of(dataset);
    if (!home.ok()) return std::move(home).status();
    report.manifest_written = *home + '/' + std::string(formats::kManifestName);
    auto generation = loader::next_generation(dataset.manifest_generation);
    if (!generation.ok()) return std::move(generation).status();
    formats::Manifest manifest = manifest_of(dataset, sums, *home);
    if (Status names = check_names(manifest, *home); !names.ok()) return names;
    manifest.generation = report.generation = *generation;
    if (session.agreement().rank() != 0) return {};
    return replace(session, *home, std::move(manifest), strict, changes);
  });
  session.verdict("commit", std::move(mine));
  tell_changes(session, changes, report);
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
  Session session(comm,
                  {.io = options.io,
                   .budget_bytes = options.budget_bytes,
                   .deadline_s = options.deadline_s,
                   .roots = options.open.roots,
                   .strict = options.open.strict,
                   .stop = options.stop},
                  loader::check_options(options));
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
  loader::Hashing hashing(session, survey, options);
  session.verdict("verify", guarded([&] { return hashing.run(); }));
  const AllSums sums = gather(session, hashing.sums());
  std::ranges::move(unreadable(session, survey, hashing.faults()), std::back_inserter(faults));
  if (report.against_manifest) std::ranges::move(compare(dataset, sums), std::back_inserter(faults));
  fail_on(session, std::move(faults), "verify");
  report.shards_verified = report.against_manifest ? static_cast<std::int64_t>(sums.size()) : 0;
  std::array<std::int64_t, 1> bytes = {hashing.bytes_read()};
  if (Status status = session.agreement().allreduce(bytes, Reduce::sum); !status.ok()) session.fail(std::move(status));
  report.bytes_read = bytes[0];
  if (options.write_manifest) record(session, dataset, sums, options.open.strict, report);
  report.seconds = steady_seconds() - start;
  loader::announce(hashing.fallbacks(), options.log);  // last: what it throws keeps no other rank waiting
  return report;
}

}  // namespace loadstone
