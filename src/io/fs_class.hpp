// The file-system gate: what kind of file system a file lies on, and what direct I/O asks of it there.
#pragma once

#include "core/status.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loadstone::io {

enum class FsClass : std::uint8_t { local, memory, network, other };
std::string_view to_string(FsClass fs_class) noexcept;

/// The class of an `f_type` of statfs(2).
FsClass class_of_type(std::uint64_t f_type) noexcept;

/// Defaults of a class.
struct FsDefaults {
  std::int64_t request_bytes = 0;
  std::int64_t in_flight_per_node = 0;  ///< requests
};
FsDefaults defaults_of(FsClass fs_class) noexcept;

/// What the gate knows about one open file.
struct FsFacts {
  FsClass fs_class = FsClass::other;
  std::uint64_t device = 0;
  bool dio_known = false;  ///< statx told the alignments (both 0: no direct I/O)
  std::int64_t offset_align = 0;
  std::int64_t memory_align = 0;
};

/// What direct I/O asks of offsets and lengths, and of addresses; where nobody tells, a guess that the first request
/// puts to the test.
std::int64_t offset_align(const FsFacts& facts) noexcept;
std::int64_t memory_align(const FsFacts& facts) noexcept;

/// Tells the facts of files; some mounts are re-labelled by "PREFIX=local,...".
class FsGate {
 public:
  /// `bad_argument` if the text is not of that form.
  static Result<FsGate> parse(std::string_view fs_class);
  /// A gate that says the same of every file: what another machine's file systems would say.
  static FsGate always(const FsFacts& facts);
  [[nodiscard]] FsFacts facts_of(int fd, std::string_view path) const;
  /// The class that the option gives a path by whole components, the longest prefix winning.
  [[nodiscard]] std::optional<FsClass> relabelled(std::string_view path) const;

 private:
  std::vector<std::pair<std::string, FsClass>> labels_;
  std::optional<FsFacts> always_;
};

}  // namespace loadstone::io
