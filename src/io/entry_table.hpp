// Entries of a table in the kernel that requests name by number: which are taken, and who still uses them.
#pragma once

#include <vector>

namespace loadstone::io {

/// A request may look its entry up as late as when a thread of the kernel begins with it. An entry that is dropped
/// while requests use it therefore stays until the last of them is done, and nobody is given it before. Not
/// thread-safe.
class EntryTable {
 public:
  static constexpr int kNone = -1;

  EntryTable() = default;
  explicit EntryTable(int entries);

  /// A free entry, the caller's to fill; kNone if there is none.
  int take();
  /// True if nobody uses the entry: it is free, and the caller empties it now.
  bool drop(int entry);
  /// A request that names the entry is on its way. Nothing for kNone.
  void use(int entry);
  /// It is back. True if it was the last user of an entry that was dropped: then as drop(). False for kNone.
  bool done(int entry);

 private:
  struct Entry {
    int users = 0;
    bool dropped = false;
  };
  std::vector<Entry> entries_;
  std::vector<int> free_;
};

}  // namespace loadstone::io
