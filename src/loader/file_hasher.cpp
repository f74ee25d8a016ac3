#include "loader/file_hasher.hpp"

#include <algorithm>
#include <utility>

namespace loadstone::loader {

FileHasher::FileHasher(std::vector<HashJob> jobs, io::StagingPool& pool, std::int64_t block_bytes,
                       std::function<void(std::int64_t)> progress, std::function<Status()> listen)
    : jobs_(std::move(jobs)),
      pool_(&pool),
      block_bytes_(block_bytes),
      progress_(std::move(progress)),
      listen_(std::move(listen)),
      sums_(jobs_.size()) {}

void FileHasher::skip_empty_files() {
  for (; file_ < jobs_.size() && jobs_[file_].bytes == 0; ++file_) {
    sums_[file_] = FileSums{Hasher().digest(), std::vector<std::uint32_t>(jobs_[file_].payloads.size())};
  }
}

io::ReadSource::Next FileHasher::next(io::Read& read) {
  if (offset_ == 0) skip_empty_files();
  if (file_ == jobs_.size()) return Next::end;
  auto lease = pool_->try_lease();
  if (!lease.ok() || !lease->valid()) return Next::later;
  const std::int64_t bytes = std::min(block_bytes_, jobs_[file_].bytes - offset_);
  Block& block = blocks_.emplace_back();
  block.tag = next_tag_++;
  block.file = file_;
  block.offset = offset_;
  block.bytes = bytes;
  block.lease = std::move(lease).value();
  read.file = static_cast<std::int64_t>(file_);
  read.offset = offset_;
  read.destination = block.lease.bytes().first(static_cast<std::size_t>(bytes));
  read.tag = block.tag;
  read.staged = true;
  offset_ += bytes;
  if (offset_ == jobs_[file_].bytes) {
    ++file_;
    offset_ = 0;
  }
  return Next::read;
}

void FileHasher::consume(Block& block) {
  const HashJob& job = jobs_[block.file];
  const auto bytes = block.lease.bytes().first(static_cast<std::size_t>(block.bytes));
  if (block.offset == 0) {
    hasher_.emplace();
    crcs_.assign(job.payloads.size(), 0);
    first_open_ = 0;
  }
  hasher_->update(bytes);
  sum_payloads(block, bytes);
  if (block.offset + block.bytes == job.bytes) sums_[block.file] = FileSums{hasher_->digest(), std::move(crcs_)};
  hashed_ += block.bytes;
}

void FileHasher::sum_payloads(const Block& block, std::span<const std::byte> bytes) {
  const std::vector<Payload>& payloads = jobs_[block.file].payloads;
  const std::int64_t block_end = block.offset + block.bytes;
  for (std::size_t i = first_open_; i < payloads.size() && payloads[i].offset < block_end; ++i) {
    const std::int64_t begin = std::clamp<std::int64_t>(payloads[i].offset - block.offset, 0, block.bytes);
    const std::int64_t end =
        std::clamp<std::int64_t>(payloads[i].offset + payloads[i].bytes - block.offset, begin, block.bytes);
    crcs_[i] = crc32c(bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)), crcs_[i]);
    if (i == first_open_ && payloads[i].offset + payloads[i].bytes <= block_end) ++first_open_;
  }
}

Status FileHasher::done(const io::Read& read) {
  const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) { return b.tag == read.tag; });
  found->arrived = true;
  while (!blocks_.empty() && blocks_.front().arrived) {
    consume(blocks_.front());
    blocks_.pop_front();
  }
  if (progress_) progress_(hashed_);
  return {};
}

}  // namespace loadstone::loader
