// write: a test dataset, all or nothing (reliability.md W1): temporaries, fsync, verdict, rename, manifest last.
#include <fmt/format.h>
#include <loadstone/load.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "core/checked.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"
#include "formats/manifest.hpp"
#include "formats/npy.hpp"
#include "io/output_file.hpp"
#include "loader/manifest_file.hpp"
#include "loader/row_lists.hpp"
#include "loader/session.hpp"
#include "loader/test_values.hpp"

namespace loadstone {
namespace {

using loader::Fill;
using loader::Session;

constexpr std::int64_t kChunkBytes = std::int64_t{1} << 20;

Fault bad_option(std::string item, std::string message, std::string remedy) {
  return {.code = Code::bad_argument,
          .kind = "write." + item,
          .message = std::move(message),
          .remedy = std::move(remedy),
          .item = std::move(item)};
}

/// What every rank knows before it writes: rows, names, where values start.
struct Layout {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> first_row;
  Shape trailing;
  std::int64_t row_elements = 1;
  Fill fill = Fill::random;
};

Result<Layout> make_layout(const WriteOptions& options) {
  if (options.shape.empty()) {
    return bad_option("shape", "a dataset needs at least one axis", "Give --shape rows,extent,...");
  }
  if (!options.dtype.is_numeric()) {
    return bad_option("dtype", options.dtype.name() + " is no numeric type", "Give a type such as float32 or int64");
  }
  if (!checked_nbytes(options.shape, options.dtype.itemsize)) {
    return bad_option("shape", shape_text(options.shape) + " has a negative extent or more than 2^63 - 1 bytes",
                      "Give extents from 0 up");
  }
  if (options.format != "npy") {
    return bad_option("format", "datasets are written as npy, not as " + escape(options.format), "Give --format npy");
  }
  if (options.fill != "random" && options.fill != "index") {
    return bad_option("fill", "\"" + escape(options.fill) + "\" is no way to fill",
                      "Give --fill random or --fill index");
  }
  auto rows = loader::rows_of_shards(options.rows, options.shape[0], options.shards, options.seed);
  if (!rows.ok()) return std::move(rows).status();
  Layout layout{std::move(rows).value(),
                {},
                {options.shape.begin() + 1, options.shape.end()},
                1,
                options.fill == "index" ? Fill::index : Fill::random};
  for (const std::int64_t extent : layout.trailing) layout.row_elements *= extent;
  std::int64_t start = 0;
  for (const std::int64_t n : layout.rows) {
    layout.first_row.push_back(start);
    start += n;
  }
  return layout;
}

std::string shard_name(std::int64_t shard, std::int64_t shards, std::int64_t generation) {
  const int width = std::max(4, static_cast<int>(fmt::format("{}", shards - 1).size()));
  return formats::generation_name(fmt::format("shard_{:0{}}.npy", shard, width), generation);
}

Fault occupied(std::string kind, const std::string& directory, std::string message, std::string remedy) {
  return {.code = Code::refused,
          .kind = std::move(kind),
          .message = std::move(message),
          .remedy = std::move(remedy),
          .path = directory};
}

/// Makes the directory ready and says which manifest is in it. Rank 0 only.
Result<std::optional<formats::Manifest>> prepare(const std::string& directory, const WriteOptions& options,
                                                 const io::Opener& opener) {
  if (Status status = io::make_directory(directory); !status.ok()) return status;
  auto entries = io::list_directory(directory);
  if (!entries.ok()) return std::move(entries).status();
  auto manifest = loader::read_manifest(directory, opener);
  if (!manifest.ok()) return manifest;
  if (*manifest && !options.force) {
    return occupied("write.exists", directory, "there is a manifest already",
                    "Give --force to replace the dataset by its next generation, or another directory");
  }
  if (!*manifest && !entries->empty() && !options.force) {
    return occupied(
        "write.foreign", directory,
        fmt::format("the directory holds {}, such as {}",
                    counted(static_cast<std::int64_t>(entries->size()), "other file"), escape(entries->front().name)),
        "Give an empty directory, or --force to write beside them");
  }
  for (const io::DirectoryEntry& entry : *entries) {  // of a writer that died
    if (!entry.name.starts_with(io::kTemporaryPrefix)) continue;
    if (Status status = io::remove_file(directory + '/' + entry.name); !status.ok()) return status;
  }
  return manifest;
}

/// One shard under its temporary name, with what the manifest and the report say of it.
struct Written {
  io::OutputFile file;
  formats::ManifestShard entry;
  WrittenShard report;
};

Result<Written> write_shard(const std::string& directory, const WriteOptions& options, const Layout& layout,
                            std::size_t shard, std::int64_t generation) {
  Shape shape = {layout.rows[shard]};
  shape.insert(shape.end(), layout.trailing.begin(), layout.trailing.end());
  const std::string header = formats::write_npy_header(options.dtype, shape);
  const std::int64_t item = options.dtype.itemsize;
  const std::int64_t elements = layout.rows[shard] * layout.row_elements;
  const std::string name = shard_name(static_cast<std::int64_t>(shard), options.shards, generation);
  const std::int64_t bytes = static_cast<std::int64_t>(header.size()) + elements * item;
  auto file = io::OutputFile::create(directory, name, bytes);
  if (!file.ok()) return std::move(file).status();
  Hasher hasher;
  hasher.update(std::as_bytes(std::span(header)));
  Status status = file->append(std::as_bytes(std::span(header)));
  std::vector<std::byte> chunk;
  std::uint32_t crc = 0;
  double first_row_sum = 0;
  for (std::int64_t at = 0; status.ok() && at < elements; at += kChunkBytes / item) {
    if (options.stop.stop_requested()) {
      return Fault{.code = Code::cancelled, .kind = "cancelled", .message = "stopped while writing"};
    }
    const std::int64_t n = std::min(kChunkBytes / item, elements - at);
    chunk.resize(static_cast<std::size_t>(n * item));
    loader::fill_values(options.dtype, layout.fill, options.seed, layout.first_row[shard] * layout.row_elements + at,
                        chunk);
    const std::int64_t in_first_row = std::clamp<std::int64_t>(layout.row_elements - at, 0, n);
    first_row_sum +=
        loader::sum_of_values(options.dtype, std::span(chunk).first(static_cast<std::size_t>(in_first_row * item)));
    hasher.update(chunk);
    crc = crc32c(chunk, crc);
    status = file->append(chunk);
  }
  if (status.ok()) status = file->sync();
  if (!status.ok()) return status;
  formats::ManifestShard entry{
      name,       layout.rows[shard], bytes, hasher.digest().hex(), static_cast<std::int64_t>(header.size()),
      hex32(crc), StorageOrder::c};
  return Written{std::move(file).value(), std::move(entry), {name, layout.rows[shard], elements * item, first_row_sum}};
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
  Writer(const std::string& directory, const WriteOptions& options, Session& session, Layout layout)
      : directory_(directory), options_(options), session_(session), layout_(std::move(layout)) {}

  WriteReport run() {
    begin();
    session_.verdict("write", loader::guarded([&] { return write_mine(); }));
    std::vector<Record> records;
    try {
      session_.verdict("publish", loader::guarded([&] { return publish_mine(); }));
      records = gather();
      session_.verdict("commit", loader::guarded([&] { return commit(manifest_of(records)); }));
    } catch (const Error&) {
      if (!is_committed()) withdraw_mine();
      throw;
    }
    session_.verdict("retire", loader::guarded([&] { return retire(); }));
    return report_of(records);
  }

 private:
  [[nodiscard]] int rank() { return session_.agreement().rank(); }

  void begin() {
    Status mine;
    std::int64_t next = 1;
    if (rank() == 0) {
      mine = loader::guarded([&]() -> Status {
        auto before = prepare(directory_, options_, session_.opener());
        if (!before.ok()) return std::move(before).status();
        before_ = std::move(before).value();
        if (before_) next = before_->generation + 1;
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

  Status write_mine() {
    const auto step = static_cast<std::size_t>(session_.agreement().size());
    for (auto shard = static_cast<std::size_t>(rank()); shard < layout_.rows.size(); shard += step) {
      auto written = write_shard(directory_, options_, layout_, shard, generation_);
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

  std::vector<Record> gather() {
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
    auto all = session_.agreement().allgather(std::as_bytes(std::span(mine)));
    if (!all.ok()) session_.fail(std::move(all).status());
    std::vector<Record> records(layout_.rows.size());
    for (const std::vector<std::byte>& part : *all) {
      for (std::size_t at = 0; at + sizeof(Record) <= part.size(); at += sizeof(Record)) {
        Record record;
        std::memcpy(&record, part.data() + at, sizeof(Record));
        records[static_cast<std::size_t>(record.shard)] = record;
      }
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
      manifest.shards.push_back({shard_name(record.shard, options_.shards, generation_),
                                 layout_.rows[static_cast<std::size_t>(record.shard)], record.bytes,
                                 std::string(record.xxh3_128.data(), record.xxh3_128.size()), record.data_offset,
                                 std::string(record.crc32c.data(), record.crc32c.size()), StorageOrder::c});
    }
    return manifest;
  }

  /// Rank 0 only: from the rename of the manifest on, the new dataset is the current one.
  Status commit(const formats::Manifest& manifest) {
    if (rank() != 0) return {};
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
      report.shards.push_back({shard_name(record.shard, options_.shards, generation_),
                               layout_.rows[static_cast<std::size_t>(record.shard)], record.bytes - record.data_offset,
                               record.first_row_sum});
    }
    return report;
  }

  const std::string& directory_;
  const WriteOptions& options_;
  Session& session_;
  Layout layout_;
  std::optional<formats::Manifest> before_;
  std::int64_t generation_ = 1;
  std::map<std::size_t, Written> written_;
  std::vector<std::string> published_;  ///< final names that this rank has made
  bool manifest_touched_ = false;       ///< this rank has tried to replace the manifest
};

std::string options_text(const std::string& directory, const WriteOptions& options) {
  return fmt::format("{} shape={} shards={} dtype={} seed={} rows={} fill={} format={} force={}", directory,
                     shape_text(options.shape), options.shards, options.dtype.str(), options.seed, options.rows,
                     options.fill, options.format, options.force);
}

}  // namespace

WriteReport write(const std::string& directory, const WriteOptions& options, const CommPtr& comm) {
  auto layout = make_layout(options);
  Session session(comm, {.stop = options.stop}, layout.ok() ? Status() : layout.status().clone());
  Status same = session.agreement().same_everywhere("what is to be written", options_text(directory, options));
  if (!same.ok()) session.fail(std::move(same));
  return Writer(directory, options, session, std::move(layout).value()).run();
}

}  // namespace loadstone
