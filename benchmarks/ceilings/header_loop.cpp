// C5: open, stat, read 4 KiB, close, for every file in turn: the least that finding shards can cost.
#include <array>

#include "ranges.hpp"

#include <unistd.h>

namespace {

class HeaderLoop final : public bench::Contender {
 public:
  bench::Report run(const bench::Job& job) override {
    std::array<char, 4096> block = {};
    std::int64_t bytes = 0;
    for (const std::string& name : job.files) {
      const bench::File file(job.folder + "/" + name);
      bytes += file.size();
      bytes += ::pread(file.descriptor(), block.data(), block.size(), 0);
    }
    return {{}, {{"files", static_cast<std::int64_t>(job.files.size())}, {"bytes_seen", bytes}}};
  }

  std::string digest(const bench::Job& /*job*/) override { return "{}"; }
};

}  // namespace

int main() {
  HeaderLoop ceiling;
  return bench::serve(ceiling);
}
