#include "io/descriptor_pool.hpp"

#include <algorithm>
#include <cerrno>

namespace loadstone::io {
namespace {

bool is_exhausted(const Status& status) {
  const int error = status.failure().first().system_errno;
  return error == EMFILE || error == ENFILE;
}

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
      capacity_(capacity),
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

Result<bool> DescriptorPool::open_direct(OpenFile& file, int* error) {
  *error = 0;
  if (file.direct.valid()) return true;
  ++file.pins;
  Result<bool> room = make_room(1);
  --file.pins;
  if (!room.ok() || !*room) return room;
  Result<Descriptor> opened = opener_.open(files_[static_cast<std::size_t>(file.file)].name, true);
  if (!opened.ok()) {
    *error = opened.status().failure().first().system_errno;
    return false;
  }
  // The name may lead to another file by now; the check of the buffered descriptor would not see that.
  Result<FileIdentity> identity = identity_of(opened->get(), file.path);
  const FileIdentity& before = files_[static_cast<std::size_t>(file.file)].identity;
  if (!identity.ok() || !compare_identity(before, *identity, rule_, file.path).ok()) return false;
  file.direct = std::move(*opened);
  file.direct_slot = backend_.attach(file.direct.get());
  ++counters_.opens;
  return true;
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
  Result<bool> room = make_room(1);
  if (!room.ok()) return std::move(room).status();
  if (!*room) return static_cast<OpenFile*>(nullptr);
  const InputFile& input = files_[static_cast<std::size_t>(file)];
  Result<Descriptor> opened = open_once_more_if_full(file);
  if (!opened.ok() && is_exhausted(opened.status()) && !open_.empty()) return static_cast<OpenFile*>(nullptr);
  if (!opened.ok()) return with_shard(std::move(opened).status(), input.shard);
  ++counters_.opens;
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
Result<Descriptor> DescriptorPool::open_once_more_if_full(std::int64_t file) {
  const FileName& name = files_[static_cast<std::size_t>(file)].name;
  Result<Descriptor> opened = opener_.open(name);
  if (opened.ok() || !is_exhausted(opened.status())) return opened;
  capacity_ = std::max<std::int64_t>(1, open_descriptors() / 2);
  Result<bool> room = make_room(1);
  if (!room.ok()) return std::move(room).status();
  return opener_.open(name);
}

Result<bool> DescriptorPool::make_room(std::int64_t wanted) {
  while (open_descriptors() + wanted > std::max<std::int64_t>(capacity_, 1)) {
    OpenFile* const idle = idle_longest();
    if (idle == nullptr) return open_.empty();
    if (Status status = check(*idle); !status.ok()) return status;
    close(*idle);
    if (latest_ == idle) latest_ = nullptr;
    std::erase_if(open_, [&](const auto& entry) { return entry.get() == idle; });
  }
  return true;
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
