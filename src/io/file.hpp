// Opening input files: regular files only, confined to their root, with an identity that is checked again later.
#pragma once

#include "core/status.hpp"

#include <loadstone/dataset.hpp>
#include <loadstone/options.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::io {

/// Move-only owner of a descriptor; never one of 0 to 2.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool valid() const noexcept { return fd_ >= 0; }
  int release() noexcept;
  void reset() noexcept;

 private:
  int fd_ = -1;
};

/// Moves a new descriptor out of the places of the standard streams, which may be closed: what lands there is printed
/// into. -1 stays -1; where no other place is free, -1 with errno.
int above_standard_streams(int fd) noexcept;

/// A name to open. With an empty root the caller typed `name` and it is trusted (links are followed). Else the name
/// came out of data, a directory or a glob: it must be relative, without NUL or "..", and links must end below the root
/// or one of the allowed roots.
struct FileName {
  std::string root;
  std::string name;
  [[nodiscard]] std::string path() const;
};

/// Opens files by the rules IO-4 and IO-5. Thread-safe after construction.
class Opener {
 public:
  /// @param allowed_roots  absolute or relative directories that links may lead into, beside a name's own root
  explicit Opener(const std::vector<std::string>& allowed_roots = {});
  ~Opener();
  Opener(const Opener&) = delete;
  Opener& operator=(const Opener&) = delete;

  /// Read-only, close-on-exec, non-blocking; regular files only. Kinds: path.missing, path.not_directory, path.denied
  /// (typed names), shard.unreadable (names from data; dangling links too), shard.not_regular, paths.outside_root.
  /// `direct` opens with O_DIRECT; EINVAL then comes back as code `io` with that errno.
  [[nodiscard]] Result<Descriptor> open(const FileName& file, bool direct = false) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// size, times, inode and device of an open descriptor; header_hash is left 0.
Result<FileIdentity> identity_of(int fd, std::string_view path);
/// Empty if equal under the rule, else a `changed` fault naming the first field that differs, before and after.
/// Devices are not compared; header hashes only where both are known.
Status compare_identity(const FileIdentity& before, const FileIdentity& after, IdentityRule rule,
                        std::string_view path);

/// Reads [offset, offset + out.size()) with pread, all of it or up to the end of file; EINTR and short reads are
/// handled. Returns the bytes read.
Result<std::int64_t> read_at(int fd, std::int64_t offset, std::span<std::byte> out, std::string_view path);
/// The whole of a small file; `too_large` above the cap, before any allocation.
Result<std::vector<std::byte>> read_whole(const Opener& opener, const FileName& file, std::int64_t max_bytes);

/// max(2, min(64, RLIMIT_NOFILE / 4)), or what the option says.
std::int64_t descriptor_pool_size(std::int64_t option);

}  // namespace loadstone::io
