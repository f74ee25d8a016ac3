#include "loader/assemble.hpp"

#include "core/checked.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"
#include "loader/completeness.hpp"
#include "loader/glob.hpp"
#include "loader/option_checks.hpp"
#include "loader/reference.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace loadstone::loader {
namespace {

using Faults = std::vector<Fault>;

void append_all(Faults& target, Faults faults) { std::ranges::move(faults, std::back_inserter(target)); }

/// Where the stated size of a file is wrong, that is its one fault; what a cut header or payload says is no news then.
void apply_sizes(const Found& found, Scanned& scanned) {
  if (found.stated.empty()) return;
  for (std::size_t at = 0; at < scanned.records.size(); ++at) {
    std::optional<Fault> fault = size_fault(found.stated[at], scanned.files[found.file_index(at)], found.set_by);
    if (!fault) continue;
    fault->path = path_of(found.file_of(at));
    Findings& findings = scanned.records[at].found();
    std::erase_if(findings.faults,
                  [](const Fault& f) { return f.kind == "shard.truncated" || f.kind == "raw.remainder"; });
    findings.faults.push_back(std::move(*fault));
    findings.tail.clear();
  }
}

/// All shards of one format: another one would need another reader.
void check_formats(const Found& found, Scanned& scanned) {
  const auto first = std::ranges::find_if(scanned.records, &Record::sound);
  if (first == scanned.records.end()) return;
  const std::string& format = scanned.layout_of(*first).format;
  for (std::size_t at = 0; at < scanned.records.size(); ++at) {
    Record& record = scanned.records[at];
    if (!record.sound() || scanned.layout_of(record).format == format) continue;
    Fault fault = make_fault(
        "shard.format", fmt::format("the file is {}, those before it are {}", scanned.layout_of(record).format, format),
        "Load the formats apart, or convert them to one.");
    fault.path = path_of(found.file_of(at));
    record.found().faults.push_back(std::move(fault));
  }
}

/// Faults of single shards with their positions. That raw shards lack a description is told once.
Faults shard_faults(std::span<const Record> records) {
  Faults faults;
  bool told = false;
  for (std::size_t at = 0; at < records.size(); ++at) {
    if (!records[at].findings) continue;
    for (Fault fault : records[at].findings->faults) {
      const bool layout = fault.kind == "raw.layout";
      if (layout && told) continue;
      told = told || layout;
      fault.shard = static_cast<std::int64_t>(at);
      faults.push_back(std::move(fault));
    }
  }
  return faults;
}

/// Names of a manifest that lead to one file, at one byte of it (DS39).
Faults duplicates(const Found& found, const Scanned& scanned) {
  Faults faults;
  if (!found.named_by_data || found.ranges) return faults;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::int64_t>, std::size_t> seen;
  for (std::size_t at = 0; at < scanned.records.size(); ++at) {
    const Record& record = scanned.records[at];
    if (!record.sound()) continue;
    const FileIdentity& file = scanned.files[found.file_index(at)];
    const auto [first, is_new] = seen.try_emplace({file.device, file.inode, record.data_offset}, at);
    if (is_new) continue;
    faults.push_back(same_file(path_of(found.file_of(first->second)), path_of(found.file_of(at))));
    faults.back().shard = static_cast<std::int64_t>(at);
  }
  return faults;
}

Faults trailing_warnings(const Found& found, const Scanned& scanned) {
  Faults warnings;
  for (std::size_t at = 0; at < scanned.records.size(); ++at) {
    const Record& record = scanned.records[at];
    if (!record.sound() || !record.findings || record.findings->tail.empty() || found.allow_tail) continue;
    const std::int64_t end = record.data_offset + record.nbytes;
    const std::int64_t size = scanned.files[found.file_index(at)].size;
    Fault fault = make_fault(
        "shard.trailing",
        fmt::format("{} after the payload, the first of them {}", counted(size - end, "byte"), record.findings->tail),
        "They are not loaded; rewrite this shard if they do not belong there.");
    fault.shard = static_cast<std::int64_t>(at);
    fault.path = path_of(found.file_of(at));
    fault.offset = end;
    fault.bytes = size - end;
    fault.wanted = end;
    fault.got = size;
    warnings.push_back(std::move(fault));
  }
  return warnings;
}

DataFile make_file(io::FileName name, const FileIdentity& identity) {
  std::string path = path_of(name);
  return {std::move(path), std::move(name.root), std::move(name.name), identity};
}

Shard make_shard(std::size_t file, const Scanned& scanned, const Record& record) {
  Shard shard;
  shard.file = static_cast<std::int64_t>(file);
  if (!record.sound()) return shard;
  const Layout& layout = scanned.layout_of(record);
  shard.rows = record.rows;
  shard.data_offset = record.data_offset;
  shard.nbytes = record.nbytes;
  shard.order = layout.order;
  shard.dtype = layout.dtype;
  return shard;
}

/// Prefix sums; empty if they pass 63 bits.
std::vector<std::int64_t> row_index_of(const std::vector<Shard>& shards) {
  std::vector<std::int64_t> index{0};
  index.reserve(shards.size() + 1);
  for (const Shard& shard : shards) {
    const std::optional<std::int64_t> sum = checked_add(index.back(), shard.rows);
    if (!sum) return {};
    index.push_back(*sum);
  }
  return index;
}

void take_manifest(Found& found, Dataset& dataset) {
  dataset.manifest_generation = found.generation;
  if (found.manifest_path.empty()) return;
  dataset.manifest_path = std::move(found.manifest_path);
  for (Stated& stated : found.stated) {
    dataset.manifest_hashes.push_back(std::move(stated.xxh3_128));
    dataset.manifest_crc32c.push_back(std::move(stated.crc32c));
  }
}

/// Shape, dtype and row index; a fault if the whole passes 2^63 - 1 bytes.
void set_geometry(const std::optional<Reference>& reference, Dataset& dataset, Faults& faults) {
  dataset.row_index = row_index_of(dataset.shards);
  if (!reference) return;
  dataset.dtype = reference->dtype.native();
  dataset.shape = reference->trailing_shape;
  if (!reference->scalar) dataset.shape.insert(dataset.shape.begin(), dataset.rows());
  if (!dataset.row_index.empty() && checked_nbytes(dataset.shape, dataset.dtype.itemsize)) return;
  dataset.row_index.assign(dataset.shards.size() + 1, 0);
  faults.push_back(make_fault("complete.too_large", "all shards together pass 2^63 - 1 bytes",
                              "Load a part of them, or correct their headers."));
}

Dataset make_dataset(Found found, const Scanned& scanned, const std::optional<Reference>& reference, Faults& faults) {
  Dataset dataset;
  const auto sound = std::ranges::find_if(scanned.records, &Record::sound);
  dataset.format = sound == scanned.records.end() ? found.format : scanned.layout_of(*sound).format;
  dataset.pattern = std::move(found.pattern);
  dataset.shards.reserve(scanned.records.size());
  for (std::size_t at = 0; at < scanned.records.size(); ++at) {
    dataset.shards.push_back(make_shard(found.file_index(at), scanned, scanned.records[at]));
  }
  dataset.files.reserve(found.files.size());
  for (std::size_t file = 0; file < found.files.size(); ++file) {
    dataset.files.push_back(make_file(std::move(found.files[file]), scanned.files[file]));
  }
  set_geometry(reference, dataset, faults);
  take_manifest(found, dataset);
  dataset.digest = digest_of(dataset);
  return dataset;
}

/// A line of all that decides what a load gives of a shard. By hand: a format string takes five times as long, and
/// shards come by the 100,000.
void append_description(std::string& text, const Shard& shard, const std::string& dtype, const DataFile& file) {
  std::array<char, 80> digits{};  // three numbers with a space before each
  const auto add_numbers = [&](std::initializer_list<std::int64_t> numbers) {
    char* end = digits.data();
    for (const std::int64_t number : numbers) {
      *end++ = ' ';
      end = std::to_chars(end, digits.data() + digits.size(), number).ptr;
    }
    text.append(digits.data(), end);
  };
  std::string_view name = file.name;
  if (file.root.empty()) name.remove_prefix(name.rfind('/') + 1);
  text += std::to_string(name.size());
  text += ':';
  text += name;
  add_numbers({shard.rows, shard.data_offset, shard.nbytes});
  text += shard.order == StorageOrder::c ? " C " : " F ";
  text += dtype;
  add_numbers({file.identity.size});
  text += '\n';
}

/// In the order of the report, with paths that are safe to print (E6).
void finish(Faults& faults) {
  sort_report(faults);
  for (Fault& fault : faults) fault.path = escape(fault.path, fault.path.size());
}

std::vector<bool> sound_shards(const Faults& faults, std::size_t shards) {
  std::vector<bool> sound(shards, true);
  for (const Fault& fault : faults) {
    // A manifest that is refused numbers shards that the dataset does not have.
    const auto at = static_cast<std::size_t>(fault.shard.value_or(-1));
    if (at < shards && fault.kind != "shard.trailing") sound[at] = false;
  }
  return sound;
}

}  // namespace

Survey assemble(Found found, Scanned scanned, const OpenOptions& options, const std::optional<DType>& cast,
                Manifests manifests) {
  apply_sizes(found, scanned);
  check_formats(found, scanned);
  const std::optional<Reference> reference = choose_reference(found, scanned);
  const Proof proof = proof_of(found, options);

  Survey survey;
  Faults& faults = survey.faults;
  faults = std::move(found.faults);
  append_all(faults, shard_faults(scanned.records));
  append_all(faults, duplicates(found, scanned));
  if (reference) append_all(faults, compare_with_reference(found, scanned, *reference, cast));
  found.faults = faults;  // what counts are compared with: a hole explains a missing shard
  append_all(faults, check_counts(found, scanned.records, options));

  Faults warnings = std::move(found.warnings);
  append_all(warnings, trailing_warnings(found, scanned));
  // A manifest that is about to be written is the proof.
  std::optional<Fault> warning = manifests == Manifests::renew ? std::nullopt : unproven(found, proof);
  if (warning) warnings.push_back(std::move(*warning));
  if (options.strict) append_all(faults, std::exchange(warnings, {}));

  survey.dataset = make_dataset(std::move(found), scanned, reference, faults);
  survey.dataset.proof = proof;
  append_all(faults, idle_options(options, survey.dataset.format));
  survey.sound = sound_shards(faults, survey.dataset.shards.size());
  finish(faults);
  if (!options.strict) survey.dataset.warnings = std::move(warnings);
  finish(survey.dataset.warnings);
  return survey;
}

std::string digest_of(const Dataset& dataset) {
  constexpr std::size_t kAtOnce = 16384;
  Hasher hasher;
  std::string text = fmt::format("loadstone dataset 1\nformat {}\ndtype {}\nshape {}\nshards {}\n", dataset.format,
                                 dataset.dtype.str(), fmt::join(dataset.shape, ","), dataset.shards.size());
  const auto hash_text = [&] {
    hasher.update(std::as_bytes(std::span(text)));
    text.clear();
  };
  std::string dtype;
  const Shard* latest = nullptr;
  for (const Shard& shard : dataset.shards) {
    if (latest == nullptr || latest->dtype != shard.dtype) dtype = shard.dtype.str();
    latest = &shard;
    append_description(text, shard, dtype, dataset.file_of(shard));
    if (text.size() >= kAtOnce) hash_text();
  }
  hash_text();
  return hasher.digest().hex();
}

}  // namespace loadstone::loader
