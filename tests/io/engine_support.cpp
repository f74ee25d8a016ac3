#include "engine_support.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>

namespace loadstone::test {

void drop_from_cache(const std::string& path) {
  const io::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ::fdatasync(file.get());
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
}

void keep_in_cache(const std::string& path) {
  drop_from_cache(path);
  std::ifstream(path, std::ios::binary).ignore(std::numeric_limits<std::streamsize>::max());
}

std::int64_t pinned_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kib = 0;
    if (word == "VmPin:" && status >> kib) return kib * 1024;
  }
  return 0;
}

bool is_usable(std::string_view backend) {
  for (const io::BackendEntry& entry : io::backend_table()) {
    if (entry.name == backend) return entry.built && entry.make != nullptr && entry.probe().usable;
  }
  return false;
}

}  // namespace loadstone::test
