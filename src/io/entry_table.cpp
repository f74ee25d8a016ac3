#include "io/entry_table.hpp"

#include <cstddef>

namespace loadstone::io {

EntryTable::EntryTable(int entries) : entries_(static_cast<std::size_t>(entries)) {
  free_.reserve(entries_.size());
  for (int entry = entries; entry > 0; --entry) free_.push_back(entry - 1);
}

int EntryTable::take() {
  if (free_.empty()) return kNone;
  const int entry = free_.back();
  free_.pop_back();
  return entry;
}

bool EntryTable::drop(int entry) {
  Entry& dropped = entries_[static_cast<std::size_t>(entry)];
  dropped.dropped = dropped.users > 0;
  if (!dropped.dropped) free_.push_back(entry);
  return !dropped.dropped;
}

void EntryTable::use(int entry) {
  if (entry != kNone) ++entries_[static_cast<std::size_t>(entry)].users;
}

bool EntryTable::done(int entry) {
  if (entry == kNone) return false;
  Entry& used = entries_[static_cast<std::size_t>(entry)];
  const bool goes = --used.users == 0 && used.dropped;
  return goes && drop(entry);
}

}  // namespace loadstone::io
