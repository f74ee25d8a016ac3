#include "io/descriptor_pool.hpp"

#include "io/faults.hpp"

#include <algorithm>
#include <cerrno>

namespace loadstone::io {
namespace {

bool is_exhausted(const Status& status) { return is_out_of_descriptors(status.failure().first().system_errno); }

Status with_shard(Status status, std::int64_t shard) {
  if (!status.ok() && shard >= 0) status.failure().faults.front().shard = shard;
  return status;
}

}  // namespace

DescriptorPool::DescriptorPool(const Opener& opener, Backend& backend, std::span<const InputFile> files,
                               IdentityRule rule, const FsGate& gate, std::int64_t capacity, Counters& counters)
    : opener_(opener),
      backend_(backend),
      files_(files),
      rule_(rule),
      gate_(gate),
      most_(std::max<std::int64_t>(capacity, 1)),
      capacity_(most_),
      counters_(counters) {}

DescriptorPool::~DescriptorPool() {
  for (const auto& file : open_) close(*file);
}

Result<OpenFile*> DescriptorPool::acquire(std::int64_t file) {
  if (latest_ == nullptr || latest_->file != file || latest_->stale) {
    const auto found = std::find_if(open_.begin(), open_.end(),
                                    [&](const auto& entry) { return entry->file == file && !entry->stale; });
    latest_ = found == open_.end() ? nullptr : found->get();
  }
  if (latest_ == nullptr) {
    Result<OpenFile*> opened = open(file);
    if (!opened.ok() || *opened == nullptr) return opened;
    latest_ = *opened;
  }
  latest_->last_use = ++uses_;
  return latest_;
}

void DescriptorPool::unpin(OpenFile& file) noexcept {
  --file.pins;
  if (!file.stale || file.pins > 0) return;
  close(file);
  if (latest_ == &file) latest_ = nullptr;
  std::erase_if(open_, [&](const auto& entry) { return entry.get() == &file; });
}

Result<DirectOpen> DescriptorPool::open_direct(OpenFile& file, int* error) {
  *error = 0;
  if (file.direct.valid()) return DirectOpen::open;
  ++file.pins;  // room is not made by closing its other descriptor
  Result<Descriptor> opened = open_descriptor(file.file, true);
  --file.pins;
  if (!opened.ok()) {
    if (opened.status().code() == Code::changed) return std::move(opened).status();
    *error = opened.status().failure().first().system_errno;
    return is_out_of_descriptors(*error) ? DirectOpen::full : DirectOpen::refused;
  }
  // The name may lead to another file by now; the check of the buffered descriptor would not see that.
  Result<FileIdentity> identity = identity_of(opened->get(), file.path);
  const FileIdentity& before = files_[static_cast<std::size_t>(file.file)].identity;
  if (!identity.ok() || !compare_identity(before, *identity, rule_, file.path).ok()) return DirectOpen::moved;
  file.direct = std::move(*opened);
  file.direct_slot = backend_.attach(file.direct.get());
  counters_.add_open(file.file);
  return DirectOpen::open;
}

bool DescriptorPool::mark_stale(std::int64_t file) {
  for (const auto& entry : open_) {
    if (entry->file != file || entry->stale) continue;
    if (!reopened_.insert(file).second) return false;
    entry->stale = true;
  }
  return true;
}

Status DescriptorPool::check(const OpenFile& file) const {
  const InputFile& input = files_[static_cast<std::size_t>(file.file)];
  Result<FileIdentity> now = identity_of(file.buffered.get(), file.path);
  if (!now.ok()) return with_shard(std::move(now).status(), input.shard);
  Status status = compare_identity(input.identity, *now, rule_, file.path);
  if (!status.ok() && file.facts.fs_class == FsClass::network) {
    // Attributes may lag behind on a network: they are asked for once more.
    now = identity_of(file.buffered.get(), file.path);
    if (now.ok()) status = compare_identity(input.identity, *now, rule_, file.path);
  }
  return with_shard(std::move(status), input.shard);
}

Status DescriptorPool::check_if_open(std::int64_t file) const {
  for (const auto& entry : open_) {
    if (entry->file != file) continue;
    if (Status status = check(*entry); !status.ok()) return status;
  }
  return {};
}

Status DescriptorPool::finish() {
  Status first;
  for (const auto& file : open_) {
    Status status = check(*file);
    if (first.ok() && !status.ok()) first = std::move(status);
    close(*file);
  }
  open_.clear();
  latest_ = nullptr;
  return first;
}

Result<OpenFile*> DescriptorPool::open(std::int64_t file) {
  const InputFile& input = files_[static_cast<std::size_t>(file)];
  Result<Descriptor> opened = open_descriptor(file, false);
  if (!opened.ok() && is_exhausted(opened.status()) && !open_.empty()) return static_cast<OpenFile*>(nullptr);
  if (!opened.ok()) return with_shard(std::move(opened).status(), input.shard);
  counters_.add_open(file);
  auto entry = std::make_unique<OpenFile>();
  entry->file = file;
  entry->path = input.name.path();
  entry->bytes = input.identity.size;
  entry->buffered = std::move(*opened);
  entry->facts = gate_.facts_of(entry->buffered.get(), entry->path);
  if (Status status = check(*entry); !status.ok()) return status;
  entry->buffered_slot = backend_.attach(entry->buffered.get());
  open_.push_back(std::move(entry));
  return open_.back().get();
}

/// The process may have fewer descriptors left than the limit says: then half of ours must do.
Result<Descriptor> DescriptorPool::open_descriptor(std::int64_t file, bool direct) {
  if (Status full = make_room(file, direct); !full.ok()) return full;
  const FileName& name = files_[static_cast<std::size_t>(file)].name;
  Result<Descriptor> opened = opener_.open(name, direct);
  if (opened.ok() || !is_exhausted(opened.status())) return opened;
  capacity_ = std::max<std::int64_t>(1, open_descriptors() / 2);
  if (Status full = make_room(file, direct); !full.ok() && !is_exhausted(full)) return full;
  return opener_.open(name, direct);
}

Status DescriptorPool::make_room(std::int64_t file, bool direct) {
  // However few there are: a file that is read directly has two, if that many were allowed.
  const std::int64_t least = direct ? std::min<std::int64_t>(2, most_) : 1;
  while (open_descriptors() >= std::max(capacity_, least)) {
    OpenFile* const idle = idle_longest();
    if (idle == nullptr) {
      return make_fault(Code::io, "shard.unreadable", files_[static_cast<std::size_t>(file)].name.path(),
                        "all descriptors are in use", std::string(kMoreDescriptors), EMFILE);
    }
    if (Status status = check(*idle); !status.ok()) return status;
    close(*idle);
    if (latest_ == idle) latest_ = nullptr;
    std::erase_if(open_, [&](const auto& entry) { return entry.get() == idle; });
  }
  return {};
}

OpenFile* DescriptorPool::idle_longest() noexcept {
  OpenFile* oldest = nullptr;
  for (const auto& entry : open_) {
    if (entry->pins == 0 && (oldest == nullptr || entry->last_use < oldest->last_use)) oldest = entry.get();
  }
  return oldest;
}

void DescriptorPool::hand_over(std::vector<Descriptor>& descriptors) {
  for (const auto& file : open_) {
    if (file->pins == 0) continue;
    detach(*file);
    if (file->buffered.valid()) descriptors.push_back(std::move(file->buffered));
    if (file->direct.valid()) descriptors.push_back(std::move(file->direct));
  }
}

void DescriptorPool::detach(const OpenFile& file) noexcept {
  if (file.buffered.valid()) backend_.detach(file.buffered_slot);
  if (file.direct.valid()) backend_.detach(file.direct_slot);
}

void DescriptorPool::close(OpenFile& file) noexcept {
  detach(file);
  file.buffered.reset();
  file.direct.reset();
}

std::int64_t DescriptorPool::open_descriptors() const noexcept {
  std::int64_t count = 0;
  for (const auto& entry : open_) count += entry->direct.valid() ? 2 : 1;
  return count;
}

}  // namespace loadstone::io
