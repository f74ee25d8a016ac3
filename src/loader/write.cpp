// write: a test dataset, all or nothing (reliability.md W1): temporaries, fsync, verdict, rename, manifest last.
#include <fmt/format.h>
#include <loadstone/load.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "core/checked.hpp"
#include "core/option_words.hpp"
#include "core/text.hpp"
#include "formats/manifest.hpp"
#include "io/directory.hpp"
#include "io/output_file.hpp"
#include "loader/manifest_file.hpp"
#include "loader/session.hpp"
#include "loader/shard_writer.hpp"

namespace loadstone {
namespace {

using loader::Session;

Fault occupied(std::string kind, const std::string& directory, std::string message, std::string remedy) {
  return {.code = Code::refused,
          .kind = std::move(kind),
          .message = std::move(message),
          .remedy = std::move(remedy),
          .path = directory};
}

bool is_temporary(const io::DirectoryEntry& entry) { return entry.name.starts_with(io::kTemporaryPrefix); }

/// Makes the directory ready and says which manifest is in it. Rank 0 only.
Result<std::optional<formats::Manifest>> prepare(const std::string& directory, const WriteOptions& options,
                                                 const io::Opener& opener, io::DirectoryLock& lock) {
  if (Status status = io::make_directory(directory); !status.ok()) return status;
  auto locked = io::DirectoryLock::take(directory);
  if (!locked.ok()) return std::move(locked).status();
  lock = std::move(locked).value();
  auto entries = io::list_directory(directory);
  if (!entries.ok()) return std::move(entries).status();
  auto manifest = loader::read_manifest(directory, opener);
  if (!manifest.ok()) return manifest;
  if (*manifest && !options.force) {
    return occupied(
        "write.exists", directory, "there is a manifest already",
        "Set " + named(Option::force) + " to replace the dataset by its next generation, or give another directory");
  }
  // Temporaries are of a writer that died: this one holds the lock.
  const auto others = std::ranges::count_if(*entries, std::not_fn(is_temporary));
  if (!*manifest && others > 0 && !options.force) {
    const auto first = std::ranges::find_if_not(*entries, is_temporary);
    return occupied(
        "write.foreign", directory,
        fmt::format("the directory holds {}, such as {}", counted(others, "other file"), escape(first->name)),
        "Give an empty directory, or set " + named(Option::force) + " to write beside them");
  }
  for (const io::DirectoryEntry& entry : *entries) {
    if (!is_temporary(entry)) continue;
    if (Status status = io::remove_file(directory + '/' + entry.name); !status.ok()) return status;
  }
  return manifest;
}

/// What travels to rank 0, fixed size but for the name, which follows from the number.
struct Record {
  std::int64_t shard = 0;
  std::int64_t bytes = 0;
  std::int64_t data_offset = 0;
  double first_row_sum = 0;
  std::array<char, 32> xxh3_128{};
  std::array<char, 8> crc32c{};
};

class Writer {
 public:
  Writer(const std::string& directory, const WriteOptions& options, Session& session, loader::WriteLayout layout)
      : directory_(directory), options_(options), session_(session), layout_(std::move(layout)) {}

  WriteReport run() {
    begin();
    session_.verdict("write", guarded([&] { return write_mine(); }));
    std::vector<Record> records;
    try {
      session_.verdict("publish", guarded([&] { return publish_mine(); }));
      records = gather();
      session_.verdict("commit", guarded([&] { return commit(records); }));
    } catch (const Error&) {
      if (!is_committed()) withdraw_mine();
      throw;
    }
    session_.verdict("retire", guarded([&] { return retire(); }));
    return report_of(records);
  }

 private:
  [[nodiscard]] int rank() { return session_.agreement().rank(); }

  void begin() {
    Status mine;
    std::int64_t next = 1;
    if (rank() == 0) {
      mine = guarded([&]() -> Status {
        auto before = prepare(directory_, options_, session_.opener(), lock_);
        if (!before.ok()) return std::move(before).status();
        before_ = std::move(before).value();
        const auto bytes = checked_nbytes(options_.shape, options_.dtype.itemsize).value_or(0);
        if (Status room = io::has_room_for(directory_, bytes); !room.ok()) return room;
        auto free = free_generation();
        if (!free.ok()) return std::move(free).status();
        next = *free;
        return {};
      });
    }
    session_.verdict("prepare", std::move(mine));
    std::array<std::int64_t, 1> generation = {next};
    if (Status status = session_.agreement().allreduce(generation, Reduce::max); !status.ok()) {
      session_.fail(std::move(status));
    }
    generation_ = generation[0];
  }

  /// The first generation after the present one whose names are all free: a writer that died before its commit, or
  /// somebody else, may hold some (W1).
  Result<std::int64_t> free_generation() {
    auto entries = io::list_directory(directory_);
    if (!entries.ok()) return std::move(entries).status();
    std::set<std::string> taken;
    for (const io::DirectoryEntry& entry : *entries) taken.insert(entry.name);
    std::int64_t generation = before_ ? before_->generation : 0;
    while (true) {
      auto next = loader::next_generation(generation);
      if (!next.ok()) return next;
      generation = *next;
      bool free = true;
      for (std::int64_t shard = 0; free && shard < options_.shards; ++shard) {
        free = !taken.contains(loader::shard_name(shard, options_.shards, generation));
      }
      if (free) return generation;
    }
  }

  Status write_mine() {
    const auto step = static_cast<std::size_t>(session_.agreement().size());
    for (auto shard = static_cast<std::size_t>(rank()); shard < layout_.rows.size(); shard += step) {
      auto written = loader::write_shard(directory_, options_, layout_, shard, generation_);
      if (!written.ok()) return std::move(written).status();
      written_.emplace(shard, std::move(written).value());
    }
    return {};
  }

  Status publish_mine() {
    for (auto& [shard, written] : written_) {
      if (Status status = written.file.publish(false); !status.ok()) return status;
      published_.push_back(written.entry.name);
    }
    return io::sync_directory(directory_);
  }

  /// No manifest names what this rank has given its final name: it goes, and the dataset of before is untouched (W6).
  void withdraw_mine() {
    for (const std::string& name : published_) {
      // What cannot be removed stays behind without harm: the failure that is under way says more.
      static_cast<void>(io::remove_file(directory_ + '/' + name).ok());
    }
  }

  [[nodiscard]] std::vector<Record> records_of_mine() const {
    std::vector<Record> mine;
    for (const auto& [shard, written] : written_) {
      Record record{static_cast<std::int64_t>(shard),
                    written.entry.bytes,
                    *written.entry.data_offset,
                    written.report.first_row_sum,
                    {},
                    {}};
      std::copy_n(written.entry.xxh3_128.begin(), record.xxh3_128.size(), record.xxh3_128.begin());
      std::copy_n(written.entry.crc32c.begin(), record.crc32c.size(), record.crc32c.begin());
      mine.push_back(record);
    }
    return mine;
  }

  std::vector<Record> gather() {
    const comm::Gathered all = session_.gather("publish", [&] { return records_of_mine(); });
    std::vector<Record> records(layout_.rows.size());
    for (std::size_t at = 0; at + sizeof(Record) <= all.bytes.size(); at += sizeof(Record)) {
      Record record;
      std::memcpy(&record, all.bytes.data() + at, sizeof(Record));
      records[static_cast<std::size_t>(record.shard)] = record;
    }
    return records;
  }

  [[nodiscard]] formats::Manifest manifest_of(const std::vector<Record>& records) const {
    formats::Manifest manifest;
    manifest.generation = generation_;
    manifest.format = options_.format;
    manifest.dtype = options_.dtype.native();
    manifest.trailing_shape = layout_.trailing;
    for (const Record& record : records) {
      manifest.shards.push_back({loader::shard_name(record.shard, options_.shards, generation_),
                                 layout_.rows[static_cast<std::size_t>(record.shard)], record.bytes,
                                 std::string(record.xxh3_128.data(), record.xxh3_128.size()), record.data_offset,
                                 std::string(record.crc32c.data(), record.crc32c.size()), StorageOrder::c});
    }
    return manifest;
  }

  /// Rank 0 only: from the rename of the manifest on, the new dataset is the current one.
  Status commit(const std::vector<Record>& records) {
    if (rank() != 0) return {};
    const formats::Manifest manifest = manifest_of(records);
    manifest_touched_ = true;
    return loader::replace_manifest(directory_, manifest);
  }

  /// Whether the new manifest may stand: then nothing that it names may go. Collective; a lost peer counts as yes.
  bool is_committed() {
    std::array<std::int64_t, 1> touched = {manifest_touched_ && manifest_is_new() ? 1 : 0};
    return !session_.agreement().allreduce(touched, Reduce::max).ok() || touched[0] != 0;
  }

  [[nodiscard]] bool manifest_is_new() const {
    const auto now = loader::read_manifest(directory_, session_.opener());
    return !now.ok() || (*now && (*now)->generation == generation_);
  }

  /// The files of the generation before go. Rank 0 only.
  Status retire() {
    if (rank() != 0 || !before_) return {};
    for (const std::string& name : loader::removable_shards(directory_, *before_).names) {
      if (Status status = io::remove_file(directory_ + '/' + name); !status.ok()) {
        status.failure().faults.front().remedy = "The new dataset is in place; remove this file of the old one by hand";
        return status;
      }
    }
    return {};
  }

  [[nodiscard]] WriteReport report_of(const std::vector<Record>& records) const {
    WriteReport report{{}, directory_ + '/' + std::string(formats::kManifestName), generation_};
    for (const Record& record : records) {
      report.shards.push_back({loader::shard_name(record.shard, options_.shards, generation_),
                               layout_.rows[static_cast<std::size_t>(record.shard)], record.bytes - record.data_offset,
                               record.first_row_sum});
    }
    return report;
  }

  const std::string& directory_;
  const WriteOptions& options_;
  Session& session_;
  loader::WriteLayout layout_;
  std::optional<formats::Manifest> before_;
  io::DirectoryLock lock_;  ///< rank 0's
  std::int64_t generation_ = 1;
  std::map<std::size_t, loader::WrittenFile> written_;
  std::vector<std::string> published_;  ///< final names that this rank has made
  bool manifest_touched_ = false;       ///< this rank has tried to replace the manifest
};

std::string options_text(const std::string& directory, const WriteOptions& options) {
  return fmt::format("{}: shape {}, shards {}, dtype {}, seed {}, rows {}, fill {}, format {}, force {}", directory,
                     shape_text(options.shape), options.shards, options.dtype.str(), options.seed, options.rows,
                     options.fill, options.format, options.force);
}

}  // namespace

WriteReport write(const std::string& directory, const WriteOptions& options, const CommPtr& comm) {
  auto layout = loader::make_write_layout(options);
  Session session(comm, {.stop = options.stop}, layout.ok() ? Status() : layout.status().clone());
  session.compare("what is to be written", "arguments", [&] { return options_text(directory, options); });
  return Writer(directory, options, session, std::move(layout).value()).run();
}

}  // namespace loadstone
