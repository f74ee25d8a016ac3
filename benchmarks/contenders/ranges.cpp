#include "ranges.hpp"

#include <fcntl.h>
#include <simdjson.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace bench {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

void append(Layout& layout, Range range) {
  range.at = layout.bytes;
  layout.bytes += range.bytes;
  if (!layout.ranges.empty()) {
    Range& last = layout.ranges.back();
    if (last.file == range.file && last.offset + last.bytes == range.offset) {
      last.bytes += range.bytes;
      return;
    }
  }
  layout.ranges.push_back(range);
}

/// Version 1.0 has two bytes of header length, later versions four.
std::int64_t npy_data_offset(const File& file) {
  std::array<unsigned char, 12> head = {};
  file.read(head.data(), static_cast<std::int64_t>(head.size()), 0);
  if (head[6] == 1) return 10 + head[8] + 256 * head[9];
  return 12 + head[8] + 256 * (head[9] + 256 * (head[10] + 256 * static_cast<std::int64_t>(head[11])));
}

void find_npy(const Job& job, Layout& layout) {
  for (const std::string& name : job.files) {
    layout.files.emplace_back(job.folder + "/" + name);
    const File& file = layout.files.back();
    const std::int64_t offset = npy_data_offset(file);
    append(layout, {layout.files.size() - 1, offset, file.size() - offset, 0});
  }
}

void find_raw(const Job& job, Layout& layout) {
  simdjson::dom::parser parser;
  const simdjson::dom::object sidecar = parser.load(job.folder + "/shard_meta.json");
  std::map<std::string, std::size_t, std::less<>> known;
  for (const simdjson::dom::object shard : simdjson::dom::array(sidecar["shards"])) {
    const std::string path{std::string_view(shard["path"])};
    const auto [found, is_new] = known.emplace(path, layout.files.size());
    if (is_new) layout.files.emplace_back(job.folder + "/" + path);
    const std::int64_t rows = shard["rows"];
    append(layout, {found->second, shard["offset"], rows * job.row_bytes, 0});
  }
}

}  // namespace

File::File(const std::string& path, int flags) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags)) {
  if (descriptor_ < 0) fail(path);
}

File::File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::int64_t File::size() const {
  struct stat facts = {};
  if (::fstat(descriptor_, &facts) != 0) fail("fstat");
  return facts.st_size;
}

void File::read(void* into, std::int64_t size, std::int64_t offset) const {
  char* at = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t got = ::pread(descriptor_, at, static_cast<std::size_t>(size), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("pread");
    if (got == 0) throw std::runtime_error("the file ends early");
    at += got;
    size -= got;
    offset += got;
  }
}

Layout find_ranges(const Job& job) {
  Layout layout;
  if (job.form == "npy") {
    find_npy(job, layout);
  } else {
    find_raw(job, layout);
  }
  return layout;
}

std::vector<Range> cut(const Layout& layout, std::int64_t begin, std::int64_t end, std::int64_t block) {
  std::vector<Range> pieces;
  const auto ends_before = [](const Range& range, std::int64_t at) { return range.at + range.bytes <= at; };
  auto range = std::lower_bound(layout.ranges.begin(), layout.ranges.end(), begin, ends_before);
  for (; range != layout.ranges.end() && range->at < end; ++range) {
    const std::int64_t last = std::min(end, range->at + range->bytes);
    for (std::int64_t at = std::max(begin, range->at); at < last; at += block) {
      pieces.push_back({range->file, range->offset + (at - range->at), std::min(block, last - at), at - begin});
    }
  }
  return pieces;
}

}  // namespace bench
