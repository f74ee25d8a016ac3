// Asked of /proc/self/pagemap by the ioctl PAGEMAP_SCAN (Linux 6.7,
// admin-guide/mm/pagemap), whose numbers are written out here because the headers of many systems are older.
#include "io/huge_pages.hpp"

#include "io/faults.hpp"
#include "io/file.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace loadstone::io {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kIsHuge = 1U << 6;

struct PageRegion {
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t categories;
};

struct ScanRequest {
  std::uint64_t size;
  std::uint64_t flags;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t walk_end;
  std::uint64_t regions;
  std::uint64_t max_regions;
  std::uint64_t max_pages;
  std::uint64_t category_inverted;
  std::uint64_t category_mask;
  std::uint64_t category_any_of_mask;
  std::uint64_t return_mask;
};

constexpr unsigned long kPagemapScan = _IOWR('f', 16, ScanRequest);

/// Closes itself.
class Pagemap {
 public:
  Pagemap() : fd_(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  Pagemap(const Pagemap&) = delete;
  Pagemap& operator=(const Pagemap&) = delete;
  ~Pagemap() {
    if (fd_ >= 0) ::close(fd_);
  }
  /// Regions found, at most as many as fit; -1 if the kernel does not know the question (or the descriptor is one of
  /// the standard streams', which are not used).
  [[nodiscard]] int scan(ScanRequest& request) const { return fd_ <= 2 ? -1 : ::ioctl(fd_, kPagemapScan, &request); }

 private:
  int fd_;
};

std::string transparent_setting() {
  std::array<std::byte, 64> text{};
  const Descriptor file(
      above_standard_streams(::open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC)));
  if (!file.valid()) return {};
  const auto got = read_at(file.get(), 0, text, "");
  return got.ok() ? std::string(reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(*got)) : "";
}

}  // namespace

bool gives_no_huge_pages(std::string_view enabled) { return enabled.find("[never]") != std::string_view::npos; }

void count_refusals(const Pages& memory, std::map<std::string, std::int64_t>& fallbacks) {
  const Pages::HugePages& huge = memory.huge_pages();
  if (huge.reserved_error != 0) {
    ++fallbacks["2 MiB pages of the reserved pool refused: " + errno_name(huge.reserved_error)];
  }
  if (huge.advice_error != 0) ++fallbacks["transparent 2 MiB pages refused: " + errno_name(huge.advice_error)];
  if (huge.advised && gives_no_huge_pages(transparent_setting())) {
    ++fallbacks["transparent 2 MiB pages refused: the system's setting is never"];
  }
}

std::optional<std::int64_t> bytes_on_huge_pages(std::span<const std::byte> memory) {
  const Pagemap pagemap;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  std::array<PageRegion, 64> regions{};
  ScanRequest request = {};
  request.size = sizeof request;
  request.start = begin / kPageBytes * kPageBytes;
  request.end = (begin + memory.size() + kPageBytes - 1) / kPageBytes * kPageBytes;
  request.regions = reinterpret_cast<std::uintptr_t>(regions.data());
  request.max_regions = regions.size();
  request.category_mask = kIsHuge;
  request.return_mask = kIsHuge;
  std::uint64_t bytes = 0;
  while (request.start < request.end) {
    const int found = pagemap.scan(request);
    if (found < 0) return std::nullopt;
    for (int i = 0; i < found; ++i) {
      const PageRegion& region = regions.at(static_cast<std::size_t>(i));
      bytes +=
          std::min<std::uint64_t>(region.end, begin + memory.size()) - std::max<std::uint64_t>(region.start, begin);
    }
    request.start = request.walk_end;
  }
  return static_cast<std::int64_t>(bytes);
}

}  // namespace loadstone::io
