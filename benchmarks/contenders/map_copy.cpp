// P3: map a window of the file, memcpy, unmap; one thread.
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "pattern.hpp"

namespace {

constexpr std::int64_t kPage = 4096;

/// A mapping of whole pages around a range, gone with the object.
class Window {
 public:
  Window(const bench::File& file, const bench::Range& piece)
      : skip_(piece.offset % kPage), bytes_(static_cast<std::size_t>(piece.bytes + skip_)) {
    at_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file.descriptor(), piece.offset - skip_);
    if (at_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window() { ::munmap(at_, bytes_); }
  [[nodiscard]] const std::byte* data() const { return static_cast<const std::byte*>(at_) + skip_; }

 private:
  std::int64_t skip_;
  std::size_t bytes_;
  void* at_ = nullptr;
};

}  // namespace

int main() {
  bench::Pattern pattern(
      std::int64_t{64} << 20, 1,
      [](const bench::Layout& layout, const bench::Range& piece, std::byte* destination, bench::Memory& /*scratch*/) {
        const Window window(layout.files[piece.file], piece);
        std::memcpy(destination, window.data(), static_cast<std::size_t>(piece.bytes));
      });
  return bench::serve(pattern);
}
