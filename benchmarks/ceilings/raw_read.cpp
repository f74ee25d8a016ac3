// C1: what the storage gives: direct reads of whole files through one io_uring, into present 2 MiB pages as large as
// the files, or (option ring, C1r) into a small ring of blocks that is used again. Nothing is parsed, placed or
// checked.
#include <fcntl.h>
#include <liburing.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "memory.hpp"
#include "ranges.hpp"

namespace {

constexpr std::int64_t kAlignment = 4096;

struct Block {
  int descriptor = 0;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;  ///< that the file has there
  std::int64_t asked = 0;  ///< rounded up to the alignment
  std::byte* into = nullptr;
};

void check(int result, const char* what) {
  if (result < 0) throw std::system_error(-result, std::generic_category(), what);
}

class Ring {
 public:
  explicit Ring(unsigned depth) { check(::io_uring_queue_init(depth, &ring_, 0), "io_uring_queue_init"); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() { ::io_uring_queue_exit(&ring_); }

  void submit(Block& block) {
    io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
    ::io_uring_prep_read(entry, block.descriptor, block.into, static_cast<unsigned>(block.asked),
                         static_cast<std::uint64_t>(block.offset));
    ::io_uring_sqe_set_data(entry, &block);
    check(::io_uring_submit(&ring_), "io_uring_submit");
  }

  Block& wait() {
    io_uring_cqe* done = nullptr;
    check(::io_uring_wait_cqe(&ring_, &done), "io_uring_wait_cqe");
    Block& block = *static_cast<Block*>(::io_uring_cqe_get_data(done));
    const int got = done->res;
    ::io_uring_cqe_seen(&ring_, done);
    check(got, "read");
    if (got < block.bytes) throw std::runtime_error("a short direct read");
    return block;
  }

 private:
  io_uring ring_ = {};
};

class RawRead final : public bench::Contender {
 public:
  void prepare(const bench::Job& job) override {
    block_bytes_ = job.number("block", std::int64_t{1} << 20);
    depth_ = job.number("depth", 16);
    const std::int64_t files = static_cast<std::int64_t>(job.files.size());
    const bool ring = job.word("ring", "off") == "on";
    // Headers are read too: room for them and for rounding, a file each.
    memory_ = bench::Memory(ring ? block_bytes_ * depth_ : job.number("file_bytes", 0) + files * kAlignment, true);
    is_ring_ = ring;
  }

  bench::Report run(const bench::Job& job) override {
    std::vector<bench::File> files;
    std::vector<Block> blocks;
    for (const std::string& name : job.files) {
      files.emplace_back(job.folder + "/" + name, O_DIRECT);
      add_blocks(files.back(), blocks);
    }
    read(blocks);
    return {{}, {{"requests", static_cast<std::int64_t>(blocks.size())}}};
  }

  std::string digest(const bench::Job& /*job*/) override { return "{}"; }

 private:
  void add_blocks(const bench::File& file, std::vector<Block>& blocks) {
    const std::int64_t size = file.size();
    for (std::int64_t offset = 0; offset < size; offset += block_bytes_) {
      const std::int64_t bytes = std::min(block_bytes_, size - offset);
      const std::int64_t asked = (bytes + kAlignment - 1) / kAlignment * kAlignment;
      const std::int64_t slot = static_cast<std::int64_t>(blocks.size()) % depth_ * block_bytes_;
      blocks.push_back({file.descriptor(), offset, bytes, asked, memory_.bytes().data() + (is_ring_ ? slot : used_)});
      used_ += asked;
    }
  }

  /// In a ring of memory block i waits for block i - depth, whose place it takes.
  void read(std::vector<Block>& blocks) const {
    Ring ring(static_cast<unsigned>(depth_));
    std::vector<bool> finished(blocks.size(), false);
    const auto reap = [&] { finished[static_cast<std::size_t>(&ring.wait() - blocks.data())] = true; };
    const std::size_t depth = static_cast<std::size_t>(depth_);
    std::size_t in_flight = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      while (in_flight == depth || (is_ring_ && i >= depth && !finished[i - depth])) {
        reap();
        --in_flight;
      }
      ring.submit(blocks[i]);
      ++in_flight;
    }
    for (; in_flight > 0; --in_flight) reap();
  }

  std::int64_t block_bytes_ = 0;
  std::int64_t depth_ = 0;
  std::int64_t used_ = 0;
  bool is_ring_ = false;
  bench::Memory memory_;
};

}  // namespace

int main() {
  RawRead ceiling;
  return bench::serve(ceiling);
}
