// Errors: what went wrong, in which file, the numbers wanted and got, and what to do about it.
#pragma once

#include <cstdint>
#include <exception>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace loadstone {

/// Stable error codes: never renamed, never reused; the same one from C++, Python and the command for the same input.
enum class Code : std::uint8_t {
  // names
  not_found,
  not_regular,
  outside_root,
  // content
  malformed,
  truncated,
  too_large,
  checksum,
  refused,      ///< could run code
  unsupported,  ///< known, but not readable or not built
  no_data,
  // agreement
  mismatch,  ///< shards or ranks disagree
  lossy,     ///< a cast needs a word that allows it
  bad_argument,
  // system
  io,
  changed,  ///< a file changed between planning and its last read
  no_space,
  budget,  ///< `wanted` is the smallest budget that works
  out_of_memory,
  // flow
  cancelled,
  deadline,
  comm,
  released,
  internal,
};

/// The stable text of a code, such as "not_found".
std::string_view to_string(Code code) noexcept;
/// The code of a text; empty if there is none.
std::optional<Code> parse_code(std::string_view text) noexcept;

/// A number, a text, or a shape: what a fault wanted or got.
using Value = std::variant<std::monostate, std::int64_t, std::string, std::vector<std::int64_t>>;

/// Who is told: options are named as they are written there.
enum class Audience : std::uint8_t { cpp, python, command };

/// What to do about a fault, in one sentence. It may name options, and each audience reads it in its own words:
/// "set budget_bytes = 65536" in C++, "set budget="64KiB"" in Python, "set --budget 64KiB" on the command line.
class Remedy {
 public:
  Remedy() = default;
  // NOLINTBEGIN(google-explicit-constructor): a sentence is a remedy, so that `fault.remedy = "..."` reads well
  Remedy(std::string sentence) : marked_(std::move(sentence)) {}
  Remedy(const char* sentence) : marked_(sentence) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool empty() const noexcept { return marked_.empty(); }
  /// The sentence for a reader.
  [[nodiscard]] std::string text(Audience audience = Audience::cpp) const;
  /// In C++ words.
  explicit operator std::string() const { return text(); }
  /// The sentence with its options still unspelled: for another process, never for a reader. `Remedy(r.marked()) == r`.
  [[nodiscard]] const std::string& marked() const noexcept { return marked_; }

  bool operator==(const Remedy&) const = default;
  /// In C++ words.
  friend std::ostream& operator<<(std::ostream& out, const Remedy& remedy);

 private:
  std::string marked_;
};

/// One thing that is wrong (a fault) or merely worth saying (a warning).
struct Fault {
  Code code = Code::internal;
  std::string kind;                    ///< stable dotted name, such as "shard.truncated"
  std::string message;                 ///< one sentence without the remedy; bytes from files are escaped in it
  Remedy remedy;                       ///< one sentence: what to do
  std::optional<std::int64_t> shard;   ///< position of the shard in the dataset
  std::string path;                    ///< file or directory; empty if none
  std::string item;                    ///< tensor, column, option; empty if none
  std::optional<std::int64_t> offset;  ///< byte position in the file
  std::optional<std::int64_t> bytes;   ///< length of the range concerned
  int system_errno = 0;                ///< 0 if no system call failed
  Value wanted;
  Value got;
  std::string set_by;  ///< what fixed the expectation: "majority", "manifest", "sidecar", ...

  bool operator==(const Fault&) const = default;
};

/// Everything about one failed call, as a value.
struct Failure {
  std::vector<Fault> faults;       ///< at least one; the first decides the code; at most 10,000 are kept
  std::int64_t total_faults = 0;   ///< also those that were not kept
  std::string phase;               ///< "discover", "plan", "allocate", "read", ...; empty if before any
  std::int64_t round = -1;         ///< -1 outside rounds
  int rank = -1;                   ///< rank that failed; -1 if no single one did
  std::vector<std::string> notes;  ///< later errors of the same call

  [[nodiscard]] const Fault& first() const { return faults.front(); }
  [[nodiscard]] Code code() const { return faults.front().code; }
};

/// The failure that has one fault, or several (at least one).
Failure failure_of(Fault fault);
Failure failure_of(std::vector<Fault> faults);

/// The one exception of the public API. Copying shares the failure. Visible, so that it crosses shared libraries.
class [[gnu::visibility("default")]] Error : public std::exception {
 public:
  explicit Error(Failure failure);
  explicit Error(Fault fault);

  /// A sentence made from the fields, such as "a.npy: ... Rewrite this shard. [truncated; rank 2; plan]".
  /// Lists at most 20 faults a kind.
  [[nodiscard]] const char* what() const noexcept override;
  [[nodiscard]] Code code() const noexcept;
  [[nodiscard]] const Failure& failure() const noexcept;
  [[nodiscard]] const std::vector<Fault>& faults() const noexcept;
  /// This rank's own failure where another rank's was agreed on; null if there was none.
  [[nodiscard]] const Failure* local() const noexcept;
  void set_local(Failure failure);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// The text of `Error::what()`, for another audience than C++'s.
std::string describe(const Failure& failure, Audience audience = Audience::cpp);

}  // namespace loadstone
