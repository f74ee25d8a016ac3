// Writing, all or nothing: temporary names, fsync, rename, fsync of the directory (reliability.md W1, W2).
#pragma once

#include "core/status.hpp"
#include "io/file.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::io {

/// Our temporaries start so, so that anybody can tell them from data: ".loadstone-tmp-".
inline constexpr std::string_view kTemporaryPrefix = ".loadstone-tmp-";

/// What was to be written, and where.
struct WriteNeed {
  std::int64_t bytes = 0;
  std::string directory;
};
/// What a failed system call of a writer means: `no_space` where the file system is full or read-only, with the bytes
/// wanted and free if `need` is known; `refused` where the name is taken; else `io`.
Fault write_fault(std::string_view what, const std::string& path, int error, std::optional<WriteNeed> need = {});

/// How a file gets a name that no other has; both set errno, and never replace. The second is asked where the file
/// system does not know the first.
struct NamingCalls {
  int (*rename_new)(const char* from, const char* to);
  int (*link)(const char* from, const char* to);
};
extern const NamingCalls kSystemNaming;

/// A file under a temporary name in its final directory. Gone when destroyed, unless published.
class OutputFile {
 public:
  /// @param expected_bytes  reserved up front where the file system can, so that a full disk is found early
  static Result<OutputFile> create(const std::string& directory, const std::string& name, std::int64_t expected_bytes);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  Status append(std::span<const std::byte> bytes);
  /// fsync: the bytes are on the device.
  Status sync();
  /// Renames to the final name. `replace` false: an existing file of that name is `refused`, never overwritten;
  /// `unsupported` where the file system cannot promise that.
  Status publish(bool replace, const NamingCalls& calls = kSystemNaming);
  [[nodiscard]] std::int64_t bytes_written() const noexcept { return written_; }

 private:
  OutputFile(std::string directory, std::string name, std::string temporary, Descriptor descriptor);
  [[nodiscard]] Fault cannot_append(std::int64_t bytes, int error) const;
  std::string directory_;
  std::string name_;
  std::string temporary_;  ///< empty once published
  Descriptor descriptor_;
  std::int64_t written_ = 0;
};

/// Held while a directory is written: another writer is refused instead of waiting. Ends with the process at the
/// latest, and leaves no file.
class DirectoryLock {
 public:
  DirectoryLock() = default;
  static Result<DirectoryLock> take(const std::string& directory);

 private:
  explicit DirectoryLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  Descriptor descriptor_;
};

/// `no_space` if the file system of a directory has less room; success where it does not tell.
Status has_room_for(const std::string& directory, std::int64_t bytes);
/// fsync of a directory: renames in it are on the device.
Status sync_directory(const std::string& directory);
/// Makes a directory if it is not there (one level).
Status make_directory(const std::string& directory);

/// Removes a file or link (never what it leads to); not_found is success.
Status remove_file(const std::string& path);
/// Removes a directory if it is empty; true if it went.
bool remove_directory_if_empty(const std::string& directory);

}  // namespace loadstone::io
