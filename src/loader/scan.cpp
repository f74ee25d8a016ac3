#include "loader/scan.hpp"

#include "core/hash.hpp"
#include "core/option_words.hpp"
#include "core/text.hpp"
#include "loader/extensions.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>

namespace loadstone::loader {
namespace {

constexpr std::int64_t kFirstRead = 4096;  // DS19: headers of a few hundred bytes, one page of the page cache
// A thread costs about as much as opening two files, and cold headers wait side by side.
constexpr std::size_t kFilesPerThread = 4;
constexpr std::size_t kFilesPerTurn = 4;  // one atomic step a turn: 4 % of what four opens cost
constexpr int kMostThreads = 4;
constexpr std::int64_t kTailShown = 16;

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

formats::DescribeContext context_of(const Found& found, std::size_t at, const Limits& limits) {
  formats::DescribeContext context{limits, std::nullopt};
  if (!found.dtype || !found.trailing_shape) return context;
  formats::RawLayout layout;
  layout.dtype = *found.dtype;
  layout.trailing_shape = *found.trailing_shape;
  layout.allow_tail = found.allow_tail;
  if (!found.stated.empty()) {
    layout.order = found.stated[at].order;
    layout.header_bytes = found.stated[at].offset.value_or(0);
    layout.rows = found.stated[at].rows;
  }
  context.raw = std::move(layout);
  return context;
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

/// A shard as it was scanned, before its layout is interned.
struct Scan {
  Record record;
  Layout layout;
};

void take_description(formats::Description described, std::string_view format, Scan& scan) {
  scan.layout.format = format;
  scan.layout.dtype = std::move(described.dtype);
  scan.layout.scalar = described.shape.empty();
  scan.layout.order = described.order;
  scan.record.rows = described.shape.empty() ? 1 : described.shape.front();
  scan.record.data_offset = described.data_offset;
  scan.record.nbytes = described.nbytes;
  if (!described.shape.empty()) described.shape.erase(described.shape.begin());
  scan.layout.trailing_shape = std::move(described.shape);
}

/// Reads what the open file says of itself.
Status describe_file(const Found& found, std::size_t at, int fd, const Limits& limits, Scan& scan) {
  const std::string path = found.files[at].path();
  Result<FileIdentity> identity = io::identity_of(fd, path);
  if (!identity.ok()) return std::move(identity).status();
  scan.record.identity = *identity;
  FileSource source(fd, identity->size, path);
  if (Status status = source.read_first_page(); !status.ok()) return status;
  const auto first_bytes = source.first_page().first(std::min<std::size_t>(source.first_page().size(), 64));
  Result<const formats::Driver*> driver = choose_driver(found, found.files[at].name, first_bytes);
  if (!driver.ok()) return std::move(driver).status();
  Result<formats::Description> described = (*driver)->describe(source, context_of(found, at, limits));
  if (!described.ok()) return std::move(described).status();
  take_description(std::move(*described), (*driver)->name(), scan);
  Result<std::uint64_t> hash = header_hash(source, scan.record.data_offset, limits.max_npy_header_bytes + kFirstRead);
  if (!hash.ok()) return std::move(hash).status();
  scan.record.identity.header_hash = *hash;
  const std::int64_t end = scan.record.data_offset + scan.record.nbytes;
  if (found.ranges || end >= identity->size) return {};
  Result<std::string> tail = tail_of(source, end);
  if (!tail.ok()) return std::move(tail).status();
  scan.record.found().tail = std::move(*tail);
  return {};
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

/// The faults of a shard that could not be described.
std::vector<Fault> faults_of(const Found& found, std::size_t at, bool opened, Failure failure) {
  std::vector<Fault> faults;
  if (!opened && found.named_by_data && is_absent(failure, found.files[at].path())) {
    faults.push_back(missing(found));
  } else {
    faults = std::move(failure.faults);
  }
  for (Fault& fault : faults) {
    fault.path = path_of(found.files[at]);
    if (fault.kind == "shard.unreadable") fault.code = code_of(fault.kind);  // a dangling link is not "absent" (P8)
  }
  return faults;
}

Scan scan_file(const Found& found, std::size_t at, const io::Opener& opener, const Limits& limits) {
  Scan scan;
  Result<io::Descriptor> file = opener.open(found.files[at]);
  const bool opened = file.ok();
  Status status = opened ? describe_file(found, at, file->get(), limits, scan) : std::move(file).status();
  if (!status.ok()) scan.record.found().faults = faults_of(found, at, opened, std::move(status).take());
  return scan;
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

Fault cancelled() {
  Fault fault;
  fault.code = Code::cancelled;
  fault.kind = "cancelled";
  fault.message = "stopped while the shards' headers were read";
  fault.remedy = "Call again.";
  return fault;
}

}  // namespace

std::int32_t Scanned::intern(const Layout& layout) {
  const auto known = std::ranges::find(layouts, layout);
  const auto index = static_cast<std::int32_t>(known - layouts.begin());
  if (known == layouts.end()) layouts.push_back(layout);
  return index;
}

void Scanned::append(Scanned more) {
  std::vector<std::int32_t> renamed;
  for (const Layout& layout : more.layouts) renamed.push_back(intern(layout));
  for (Record& record : more.records) {
    if (record.layout >= 0) record.layout = renamed[static_cast<std::size_t>(record.layout)];
    records.push_back(std::move(record));
  }
}

Result<Scanned> scan(const Found& found, std::size_t begin, std::size_t end, const io::Opener& opener,
                     const ScanSettings& settings, const Interrupt& interrupt) {
  Scanned scanned;
  scanned.records.resize(end - begin);
  std::atomic<std::size_t> next{begin};
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto keep = [&](std::size_t at, Scan one) {
    const std::scoped_lock lock(mutex);
    if (!one.record.findings || one.record.findings->faults.empty()) one.record.layout = scanned.intern(one.layout);
    scanned.records[at - begin] = std::move(one.record);
  };
  const auto scan_turns = [&] {
    while (!interrupt.stop.stop_requested()) {
      const std::size_t from = next.fetch_add(kFilesPerTurn, std::memory_order_relaxed);
      if (from >= end) return;
      for (std::size_t at = from; at < std::min(end, from + kFilesPerTurn); ++at) {
        keep(at, scan_file(found, at, opener, settings.limits));
      }
    }
  };
  const auto work = [&] {
    try {
      scan_turns();
    } catch (...) {
      const std::scoped_lock lock(mutex);
      thrown = std::current_exception();
    }
  };
  const int most = settings.threads > 0 ? settings.threads : std::min(kMostThreads, usable_cores());
  const auto threads = std::min(static_cast<std::size_t>(most), scanned.records.size() / kFilesPerThread + 1);
  {
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
  }
  if (thrown) std::rethrow_exception(thrown);
  if (interrupt.stop.stop_requested()) return cancelled();
  return scanned;
}

}  // namespace loadstone::loader
