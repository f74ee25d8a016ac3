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
  while (file_ < jobs_.size() && jobs_[file_].bytes == 0) sums_[file_++] = FileSums{Hasher().digest(), 0};
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
    crc_ = 0;
  }
  hasher_->update(bytes);
  const std::int64_t begin = std::clamp<std::int64_t>(job.payload_offset - block.offset, 0, block.bytes);
  const std::int64_t end =
      std::clamp<std::int64_t>(job.payload_offset + job.payload_bytes - block.offset, begin, block.bytes);
  crc_ = crc32c(bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)), crc_);
  if (block.offset + block.bytes == job.bytes) sums_[block.file] = FileSums{hasher_->digest(), crc_};
  hashed_ += block.bytes;
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
