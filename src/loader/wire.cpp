#include "loader/wire.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>

namespace loadstone::loader {
namespace {

/// Walks a value field by field, writing it. `Reader` makes the same walk; both are handed to `walk`.
class Writer {
 public:
  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void operator()(const T& value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    const std::size_t at = bytes_.size();
    bytes_.resize(at + text.size());
    if (!text.empty()) std::memcpy(bytes_.data() + at, text.data(), text.size());
  }
  void operator()(const Remedy& remedy) { (*this)(remedy.marked()); }
  template <class T>
  void operator()(const std::optional<T>& value);
  template <class T>
  void operator()(const std::unique_ptr<T>& value);
  template <class T>
  void operator()(const std::vector<T>& values);
  void operator()(const Value& value);

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void operator()(T& value) {
    if (bytes_.size() < sizeof(T)) return fail();
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_ = bytes_.subspan(sizeof(T));
  }
  void operator()(std::string& text) {
    std::size_t size = 0;
    (*this)(size);
    if (size > bytes_.size()) return fail();
    text.assign(reinterpret_cast<const char*>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
  }
  void operator()(Remedy& remedy) {
    std::string marked;
    (*this)(marked);
    remedy = std::move(marked);
  }
  template <class T>
  void operator()(std::optional<T>& value);
  template <class T>
  void operator()(std::unique_ptr<T>& value);
  template <class T>
  void operator()(std::vector<T>& values);
  void operator()(Value& value);

  [[nodiscard]] bool good() const noexcept { return good_; }
  [[nodiscard]] bool done() const noexcept { return bytes_.empty(); }

 private:
  void fail() noexcept {
    good_ = false;
    bytes_ = {};
  }
  std::span<const std::byte> bytes_;
  bool good_ = true;
};

// One list of fields a type, walked by writer and reader alike.
template <class Walker, class T>
void walk_each(Walker& walker, T&& last) {
  walker(last);
}
template <class Walker, class T, class... More>
void walk_each(Walker& walker, T&& first, More&&... more) {
  walker(first);
  walk_each(walker, more...);
}

template <class T, class Wanted>
concept Is = std::is_same_v<std::remove_const_t<T>, Wanted>;

template <class Walker, Is<DType> T>
void walk(Walker& walker, T& v) {
  walk_each(walker, v.kind, v.itemsize, v.byte_order, v.unit);
}
template <class Walker, Is<io::FileName> T>
void walk(Walker& walker, T& v) {
  walk_each(walker, v.root, v.name);
}
template <class Walker, Is<Stated> T>
void walk(Walker& walker, T& v) {
  walk_each(walker, v.rows, v.bytes, v.offset, v.order, v.xxh3_128, v.crc32c);
}
template <class Walker, Is<Expectation> T>
void walk(Walker& walker, T& v) {
  walk_each(walker, v.wanted, v.set_by);
}
template <class Walker, Is<Fault> T>
void walk(Walker& walker, T& v) {
  walk_each(walker, v.code, v.kind, v.message, v.remedy, v.shard, v.path, v.item, v.offset, v.bytes, v.system_errno,
            v.wanted, v.got, v.set_by);
}
template <class Walker, Is<FileIdentity> T>
void walk(Walker& walker, T& v) {
  walk_each(walker, v.device, v.inode, v.size, v.mtime_ns, v.ctime_ns, v.header_hash);
}
template <class Walker, Is<Layout> T>
void walk(Walker& walker, T& v) {
  walk_each(walker, v.format);
  walk(walker, v.dtype);
  walk_each(walker, v.trailing_shape, v.scalar, v.order);
}
template <class Walker, Is<Findings> T>
void walk(Walker& walker, T& v) {
  walk_each(walker, v.faults, v.tail);
}
template <class Walker, Is<Record> T>
void walk(Walker& walker, T& v) {
  walk_each(walker, v.layout, v.rows, v.data_offset, v.nbytes);
  walk_each(walker, v.findings);
}
template <class Walker, Is<Scanned> T>
void walk(Walker& walker, T& v) {
  walk_each(walker, v.layouts, v.files, v.records);
}
template <class Walker, Is<Found> T>
void walk(Walker& walker, T& v) {
  walk_each(walker, v.files, v.file_of_shards, v.stated, v.format, v.dtype, v.trailing_shape, v.set_by, v.named_by_data,
            v.ranges, v.allow_tail, v.single, v.pattern, v.proof, v.counts, v.directory, v.manifest_path, v.generation,
            v.faults, v.warnings);
}

template <class Walker, Is<ManifestChanges> T>
void walk(Walker& walker, T& v) {
  walk_each(walker, v.generation, v.changed, v.added, v.dropped, v.warnings);
}

template <class Walker, Is<FileStats> T>
void walk(Walker& walker, T& v) {
  walk_each(walker, v.path, v.bytes_read, v.bytes_buffered, v.bytes_direct, v.bytes_mapped, v.bytes_in_place,
            v.bytes_staged, v.requests, v.short_reads, v.retries, v.opens, v.slowest_seconds, v.fallbacks);
}

template <class Walker, class T>
void walk_any(Walker& walker, T& value) {
  if constexpr (requires { walker(value); }) {
    walker(value);
  } else {
    walk(walker, value);
  }
}

template <class T>
void Writer::operator()(const std::optional<T>& value) {
  (*this)(value.has_value());
  if (value) walk_any(*this, *value);
}
template <class T>
void Writer::operator()(const std::unique_ptr<T>& value) {
  (*this)(value != nullptr);
  if (value) walk_any(*this, *value);
}
template <class T>
void Writer::operator()(const std::vector<T>& values) {
  (*this)(values.size());
  for (const T& value : values) walk_any(*this, value);
}
void Writer::operator()(const Value& value) {
  (*this)(value.index());
  std::visit(
      [this](const auto& held) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) (*this)(held);
      },
      value);
}

template <class T>
void Reader::operator()(std::optional<T>& value) {
  bool there = false;
  (*this)(there);
  if (there) walk_any(*this, value.emplace());
}
template <class T>
void Reader::operator()(std::unique_ptr<T>& value) {
  bool there = false;
  (*this)(there);
  if (!there) return;
  value = std::make_unique<T>();
  walk_any(*this, *value);
}
template <class T>
void Reader::operator()(std::vector<T>& values) {
  std::size_t size = 0;
  (*this)(size);
  if (size > bytes_.size()) return fail();  // every element takes a byte at least
  values.resize(size);
  for (std::size_t i = 0; i < size && good_; ++i) walk_any(*this, values[i]);
}
void Reader::operator()(Value& value) {
  std::size_t index = 0;
  (*this)(index);
  if (index == 1) (*this)(value.emplace<1>());
  if (index == 2) (*this)(value.emplace<2>());
  if (index == 3) (*this)(value.emplace<3>());
  if (index > 3) fail();
}

template <class T>
std::vector<std::byte> written(const T& value) {
  Writer writer;
  walk_any(writer, value);
  return writer.take();
}

template <class T>
std::optional<T> read_back(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  T value;
  walk_any(reader, value);
  if (!reader.good() || !reader.done()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::byte> encode(const Found& found) { return written(found); }
std::vector<std::byte> encode(const Scanned& scanned) { return written(scanned); }
std::vector<std::byte> encode(const ManifestChanges& changes) { return written(changes); }

std::vector<std::byte> encode(const std::vector<FileStats>& files) { return written(files); }

std::optional<std::vector<FileStats>> decode_file_stats(std::span<const std::byte> bytes) {
  return read_back<std::vector<FileStats>>(bytes);
}

std::optional<ManifestChanges> decode_changes(std::span<const std::byte> bytes) {
  return read_back<ManifestChanges>(bytes);
}

std::optional<Found> decode_found(std::span<const std::byte> bytes) {
  std::optional<Found> found = read_back<Found>(bytes);
  const auto known = [&](std::int64_t file) { return file >= 0 && file < std::ssize(found->files); };
  return found && std::ranges::all_of(found->file_of_shards, known) ? std::move(found) : std::nullopt;
}

std::optional<Scanned> decode_scanned(std::span<const std::byte> bytes) {
  std::optional<Scanned> scanned = read_back<Scanned>(bytes);
  const auto known = [&](const Record& record) {
    return record.layout < static_cast<std::int64_t>(scanned->layouts.size());
  };
  return scanned && std::ranges::all_of(scanned->records, known) ? std::move(scanned) : std::nullopt;
}

}  // namespace loadstone::loader
