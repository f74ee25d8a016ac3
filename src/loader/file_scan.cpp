#include "loader/file_scan.hpp"

#include "core/hash.hpp"
#include "core/option_words.hpp"
#include "core/text.hpp"
#include "loader/extensions.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace loadstone::loader {
namespace {

constexpr std::int64_t kFirstRead = 4096;  // DS19: headers of a few hundred bytes, one page of the page cache
constexpr std::int64_t kTailShown = 16;

}  // namespace

/// The file behind an open descriptor; its first page is read once.
class FileSource final : public formats::ByteSource {
 public:
  FileSource(int fd, std::int64_t size, std::string path) : fd_(fd), size_(size), path_(std::move(path)) {}

  Status read_first_page() {
    page_.resize(static_cast<std::size_t>(std::min(size_, kFirstRead)));
    Result<std::int64_t> got = page_.empty() ? Result<std::int64_t>(0) : io::read_at(fd_, 0, page_, path_);
    if (!got.ok()) return std::move(got).status();
    page_.resize(static_cast<std::size_t>(*got));
    return {};
  }

  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] std::span<const std::byte> first_page() const { return page_; }

  Result<std::int64_t> read(std::int64_t offset, std::span<std::byte> out) const override {
    const auto held = static_cast<std::int64_t>(page_.size());
    const std::int64_t wanted = std::clamp<std::int64_t>(size_ - offset, 0, static_cast<std::int64_t>(out.size()));
    if (offset < 0 || offset > held || wanted > held - offset) return io::read_at(fd_, offset, out, path_);
    if (wanted > 0) std::memcpy(out.data(), page_.data() + offset, static_cast<std::size_t>(wanted));
    return wanted;
  }

 private:
  int fd_;
  std::int64_t size_;
  std::string path_;
  std::vector<std::byte> page_;
};

namespace {

std::string hex_of(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

/// The driver that was asked for, unless the first bytes are another format's or none.
Result<const formats::Driver*> forced_driver(const std::string& format, std::span<const std::byte> first_bytes) {
  Result<const formats::Driver*> forced = formats::find_driver(format);
  if (!forced.ok() || (*forced)->probe(first_bytes)) return forced;
  Result<const formats::Driver*> told = formats::driver_of(first_bytes);
  if (!told.ok()) return told;
  return make_fault("shard.format", fmt::format("the file is {}, not {}", (*told)->name(), format),
                    "Leave the format out, so that the first bytes decide.");
}

/// Which driver reads a file: the first bytes tell; the extension decides only for raw (DS9).
Result<const formats::Driver*> choose_driver(const Found& found, std::string_view name,
                                             std::span<const std::byte> first_bytes) {
  if (found.format == "raw") return formats::find_driver("raw");
  if (!found.format.empty()) return forced_driver(found.format, first_bytes);
  Result<const formats::Driver*> told = formats::driver_of(first_bytes);
  const bool described = found.dtype.has_value() && found.trailing_shape.has_value();
  if (told.ok() || is_other_data(name) || !(described || is_raw_data(name))) return told;
  return formats::find_driver("raw");
}

/// What a driver is told of every shard of a dataset.
formats::DescribeContext context_of(const Found& found, const Limits& limits) {
  formats::DescribeContext context{limits, std::nullopt};
  if (!found.dtype || !found.trailing_shape) return context;
  context.raw.emplace();
  context.raw->dtype = *found.dtype;
  context.raw->trailing_shape = *found.trailing_shape;
  context.raw->allow_tail = found.allow_tail;
  return context;
}

/// And what is stated of one of them.
void set_shard(formats::DescribeContext& context, const Found& found, std::size_t shard) {
  if (!context.raw || found.stated.empty()) return;
  const Stated& stated = found.stated[shard];
  context.raw->order = stated.order;
  context.raw->header_bytes = stated.offset.value_or(0);
  context.raw->rows = stated.rows;
}

/// The hash of the bytes before the payload; 0 (unknown) if there are none or too many.
Result<std::uint64_t> header_hash(const FileSource& source, std::int64_t data_offset, std::int64_t max_bytes) {
  if (data_offset <= 0 || data_offset > max_bytes) return std::uint64_t{0};
  if (data_offset <= static_cast<std::int64_t>(source.first_page().size())) {
    return xxh3_64(source.first_page().first(static_cast<std::size_t>(data_offset)));
  }
  std::vector<std::byte> header(static_cast<std::size_t>(data_offset));
  Result<std::int64_t> got = source.read(0, header);
  if (!got.ok()) return std::move(got).status();
  return xxh3_64(std::span(header).first(static_cast<std::size_t>(*got)));
}

Result<std::string> tail_of(const FileSource& source, std::int64_t end) {
  std::array<std::byte, kTailShown> tail{};
  Result<std::int64_t> got = source.read(end, tail);
  if (!got.ok()) return std::move(got).status();
  return hex_of(std::span(tail).first(static_cast<std::size_t>(*got)));
}

/// Whether a shard is stored as the last one of its file was.
bool is_like(const formats::Description& described, const Layout& layout) {
  const bool scalar = described.shape.empty();
  return scalar == layout.scalar && described.order == layout.order && described.dtype == layout.dtype &&
         std::ranges::equal(std::span(described.shape).subspan(scalar ? 0 : 1), layout.trailing_shape);
}

/// A file that was named but is not there; a dangling link is there.
bool is_absent(const Failure& failure, const std::string& path) {
  std::error_code ignored;
  return failure.first().system_errno == ENOENT &&
         std::filesystem::symlink_status(path, ignored).type() == std::filesystem::file_type::not_found;
}

Fault missing(const Found& found) {
  Fault fault =
      make_fault("complete.missing", fmt::format("the {} names this shard, but it is not there", found.set_by),
                 "Bring the file back, or record the dataset as it is: " + named(Option::record, "DIR") + ".");
  fault.set_by = found.set_by;
  return fault;
}

}  // namespace

FileIdentity FileScan::run(const io::Opener& opener) {
  Result<io::Descriptor> file = opener.open(name_);
  const bool opened = file.ok();
  Status status = opened ? describe_all(file->get()) : std::move(file).status();
  if (status.ok()) return identity_;
  const std::vector<Fault> faults = faults_of(opened, std::move(status).take());
  for (Record& record : place_.records) record.found().faults = faults;
  return identity_;
}

Status FileScan::describe_all(int fd) {
  const std::string path = name_.path();
  Result<FileIdentity> identity = io::identity_of(fd, path);
  if (!identity.ok()) return std::move(identity).status();
  identity_ = *identity;
  FileSource source(fd, identity_.size, path);
  if (Status status = source.read_first_page(); !status.ok()) return status;
  const auto first_bytes = source.first_page().first(std::min<std::size_t>(source.first_page().size(), 64));
  Result<const formats::Driver*> driver = choose_driver(found_, name_.name, first_bytes);
  if (!driver.ok()) return std::move(driver).status();
  formats::DescribeContext context = context_of(found_, limits_);
  for (std::size_t i = 0; i < place_.shards.size(); ++i) {
    set_shard(context, found_, place_.shards[i]);
    Status status = describe(source, **driver, context, place_.records[i]);
    if (!status.ok()) place_.records[i].found().faults = faults_of(true, std::move(status).take());
  }
  return hash_header(source);
}

Status FileScan::describe(const FileSource& source, const formats::Driver& driver,
                          const formats::DescribeContext& context, Record& record) {
  Result<formats::Description> described = driver.describe(source, context);
  if (!described.ok()) return std::move(described).status();
  record.rows = described->shape.empty() ? 1 : described->shape.front();
  record.data_offset = described->data_offset;
  record.nbytes = described->nbytes;
  record.layout = layout_of(std::move(*described), driver.name());
  const std::int64_t end = record.data_offset + record.nbytes;
  // Behind a range of a file that holds more of them lies the next.
  if (found_.ranges || place_.shards.size() > 1 || end >= identity_.size) return {};
  Result<std::string> tail = tail_of(source, end);
  if (!tail.ok()) return std::move(tail).status();
  record.found().tail = std::move(*tail);
  return {};
}

std::int32_t FileScan::layout_of(formats::Description described, std::string_view format) {
  if (latest_ >= 0 && is_like(described, latest_layout_)) return latest_;
  Layout layout;
  layout.format = format;
  layout.dtype = std::move(described.dtype);
  layout.scalar = described.shape.empty();
  layout.order = described.order;
  if (!described.shape.empty()) described.shape.erase(described.shape.begin());
  layout.trailing_shape = std::move(described.shape);
  latest_ = layouts_.intern(layout);
  latest_layout_ = std::move(layout);
  return latest_;
}

/// The header of a file is what stands before its first payload. Where shards are ranges of it that may be anything:
/// then no more is read for it than has been.
Status FileScan::hash_header(const FileSource& source) {
  std::optional<std::int64_t> first;
  for (const Record& record : place_.records) {
    if (record.sound()) first = std::min(first.value_or(record.data_offset), record.data_offset);
  }
  if (!first) return {};
  Result<std::uint64_t> hash =
      header_hash(source, *first, found_.ranges ? kFirstRead : limits_.max_npy_header_bytes + kFirstRead);
  if (!hash.ok()) return std::move(hash).status();
  identity_.header_hash = *hash;
  return {};
}

std::vector<Fault> FileScan::faults_of(bool opened, Failure failure) const {
  std::vector<Fault> faults;
  if (!opened && found_.named_by_data && is_absent(failure, name_.path())) {
    faults.push_back(missing(found_));
  } else {
    faults = std::move(failure.faults);
  }
  for (Fault& fault : faults) {
    fault.path = path_of(name_);
    if (fault.kind == "shard.unreadable") fault.code = code_of(fault.kind);  // a dangling link is not "absent" (P8)
  }
  return faults;
}

}  // namespace loadstone::loader
