// Open files of one run: least recently used ones are closed, pinned ones stay. A file's identity is compared whenever
// it is opened and before it is closed.
#pragma once

#include "core/status.hpp"
#include "io/backend.hpp"
#include "io/counters.hpp"
#include "io/engine.hpp"
#include "io/file.hpp"
#include "io/fs_class.hpp"
#include "io/window.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace loadstone::io {

/// One open file, and what is known about reading it.
struct OpenFile {
  std::int64_t file = -1;
  std::string path;
  std::int64_t bytes = 0;  ///< size, as discover found it
  Descriptor buffered;
  Descriptor direct;
  int buffered_slot = -1;
  int direct_slot = -1;
  FsFacts facts;
  int pins = 0;
  std::uint64_t last_use = 0;
  bool stale = false;            ///< opened again since; goes when its last request is back
  WindowWays window;             ///< the window whose ways are known
  bool told_sequential = false;  ///< posix_fadvise has been called
};

/// What came of opening a file for direct I/O.
enum class DirectOpen : std::uint8_t {
  open,
  refused,  ///< by the file system
  full,     ///< no descriptor is to be had now
  moved,    ///< the name leads to another file by now
};

class DescriptorPool {
 public:
  DescriptorPool(const Opener& opener, Backend& backend, std::span<const InputFile> files, IdentityRule rule,
                 const FsGate& gate, std::int64_t capacity, Counters& counters);
  ~DescriptorPool();
  DescriptorPool(const DescriptorPool&) = delete;
  DescriptorPool& operator=(const DescriptorPool&) = delete;

  /// The file, open; null if every descriptor is in use: try again when a request is back.
  Result<OpenFile*> acquire(std::int64_t file);
  static void pin(OpenFile& file) noexcept { ++file.pins; }
  void unpin(OpenFile& file) noexcept;
  /// Opens the file for direct I/O too; `error` is why it is refused.
  Result<DirectOpen> open_direct(OpenFile& file, int* error);
  /// After ESTALE: the next acquire opens the file again. False if that has been done before.
  bool mark_stale(std::int64_t file);
  /// Direct I/O was refused by a file: it is not asked again in this run.
  void refuse_direct(std::int64_t file) { direct_refused_.insert(file); }
  [[nodiscard]] bool direct_refused(std::int64_t file) const { return direct_refused_.contains(file); }

  /// Compares the open file with what discover found.
  Status check(const OpenFile& file) const;
  /// The same by its index; a file that is not open has been compared before it was closed.
  [[nodiscard]] Status check_if_open(std::int64_t file) const;
  /// Moves the descriptors of pinned files out: requests that never came back may still read from them.
  void hand_over(std::vector<Descriptor>& descriptors);
  /// Compares and closes all that is open; nothing may be pinned.
  Status finish();

 private:
  Result<OpenFile*> open(std::int64_t file);
  Result<Descriptor> open_descriptor(std::int64_t file, bool direct);
  /// Makes room for one more descriptor beside those that are pinned; EMFILE if these are too many.
  Status make_room(std::int64_t file, bool direct);
  OpenFile* idle_longest() noexcept;
  void detach(const OpenFile& file) noexcept;
  void close(OpenFile& file) noexcept;
  [[nodiscard]] std::int64_t open_descriptors() const noexcept;

  const Opener& opener_;
  Backend& backend_;
  std::span<const InputFile> files_;
  IdentityRule rule_;
  const FsGate& gate_;
  const std::int64_t most_;
  std::int64_t capacity_;  // less than the most once descriptors ran out
  Counters& counters_;
  std::uint64_t uses_ = 0;
  OpenFile* latest_ = nullptr;
  std::vector<std::unique_ptr<OpenFile>> open_;
  std::unordered_set<std::int64_t> reopened_;
  std::unordered_set<std::int64_t> direct_refused_;
};

}  // namespace loadstone::io
