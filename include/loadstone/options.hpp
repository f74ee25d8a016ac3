// What a user may ask for: one set of options, the same in C++, Python (keywords) and the command (flags).
#pragma once

#include <loadstone/context.hpp>
#include <loadstone/distribution.hpp>
#include <loadstone/dtype.hpp>
#include <loadstone/selection.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace loadstone {

enum class Order : std::uint8_t { automatic, given, numeric };
enum class Tiles : std::uint8_t { balanced, ceil };
enum class Casting : std::uint8_t { lossless, checked, lossy };
enum class Verify : std::uint8_t { none, crc };
enum class IdentityRule : std::uint8_t { strict, size_mtime };

/// How a dataset is found and checked.
struct OpenOptions {
  std::string format;  ///< forces a driver: "npy", "raw"; empty: the first bytes decide
  Order order = Order::automatic;
  std::optional<std::int64_t> first_index;  ///< accepted number of the first shard
  bool any_first_index = false;
  std::vector<std::string> ignore;  ///< globs of base names that are no shards
  std::vector<std::string> roots;   ///< directories that links may lead into, beside those given
  std::optional<std::int64_t> expect_shards;
  std::optional<std::int64_t> expect_rows;
  bool strict = false;  ///< warnings are faults, also those about the environment
  /// The type that the result will be cast to: shards of several types are then no fault if each casts (lossless or not
  /// is the planner's to judge); for raw shards without a sidecar it states the type of the file. `load` fills it in.
  std::optional<DType> cast;
  std::int64_t max_header_bytes = std::int64_t{1} << 20;
  // raw shards
  std::string sidecar;    ///< path of the sidecar; empty: shard_meta.json or _meta.json beside the shards
  std::string raw_dtype;  ///< type of the file, such as "<f4"; empty: from the sidecar
  std::optional<Shape> trailing_shape;
  std::string byteorder;  ///< "little", "big" or empty
  std::optional<std::int64_t> header_bytes;
  bool allow_tail = false;
  double deadline_s = 0;  ///< longest time without progress; 0: environment, else 300. A load has its own.
};

/// How the engine fetches bytes. Empty or 0 means the environment, else the default.
struct IoOptions {
  std::string backend;             ///< "auto", "posix", "uring"
  std::string direct;              ///< "auto", "on", "off", "require"
  std::string mapped;              ///< "auto", "off"
  std::string huge_pages;          ///< "auto", "off", "hugetlb"
  std::string page_cache;          ///< "keep", "spare"
  std::string landing;             ///< "auto", "staged"
  std::string fs_class;            ///< "PREFIX=local,..."
  std::int64_t request_bytes = 0;  ///< 64 KiB to 64 MiB
  std::int64_t depth = 0;          ///< 1 to 512
  std::int64_t threads = 0;        ///< copy and decode, 1 to 64
  std::int64_t open_files = 0;
  std::int64_t retries = -1;
  bool file_stats = false;  ///< fill in LoadStats::files: some 300 bytes a file, in no budget
};

/// What a running load tells: called on the calling thread of a rank, at most ten times a second.
struct Progress {
  std::int64_t bytes_done = 0;
  std::int64_t bytes_wanted = 0;
  double seconds = 0;
};

/// Takes a line about something that was done another way than usual, such as "direct refused on overlay: EINVAL".
using Log = std::function<void(const std::string&)>;

/// Memory of the caller's that a tile is loaded into, so that its pages need not be made anew. Each rank gives its own
/// or none.
struct Destination {
  std::span<std::byte> bytes;   ///< exactly those of the rank's tile: C order, dense
  std::shared_ptr<void> owner;  ///< keeps the memory alive, and is held as long as the array holds it; may be empty
  std::optional<DType> dtype;   ///< must be that of the result, if given
  std::optional<Shape> shape;   ///< must be that of the tile, if given
};

/// How a dataset is laid out over ranks and read.
struct LoadOptions {
  OpenOptions open;
  IoOptions io;
  std::optional<std::int64_t> split = 0;  ///< axis of the selected array; negative wraps; empty: replicated
  Tiles tiles = Tiles::balanced;
  std::vector<std::int64_t> rows_per_rank;  ///< explicit lengths along the split axis; empty: by `tiles`
  bool has_rows_per_rank = false;           ///< true even if the list is empty
  std::int64_t overdecompose = 1;
  std::optional<Slice> rows;   ///< rows [begin, end) of the stack axis
  Selection select;            ///< excludes rows
  std::optional<DType> dtype;  ///< cast to this type; empty keeps the file's
  Casting casting = Casting::lossless;
  std::optional<std::int64_t> budget_bytes;  ///< per rank, beyond the result; empty: environment, else a guess
  Verify verify = Verify::none;
  double deadline_s = 0;  ///< longest time without progress; 0: environment, else 300
  std::optional<IdentityRule> identity;
  std::string device;  ///< "host"
  /// Empty: new memory. Not part of the budget. After a failure its content is undefined. `load` only.
  std::optional<Destination> out;
  /// What this load shares with others of this rank; null: nothing. `load` and `stream`.
  std::shared_ptr<Context> context;
  std::stop_token stop;
  std::function<void(const Progress&)> progress;
  /// Called by `load`, and by a stream with its batches, on the calling thread, once in a process for each reason;
  /// LoadStats::fallbacks counts them all.
  Log log;
};

/// Parses "64MiB", "16777216", "1GiB", "500 KiB"; Error{bad_argument} otherwise.
std::int64_t parse_bytes(std::string_view text);
/// "64.0 MiB", "17 B".
std::string format_bytes(std::int64_t bytes);

}  // namespace loadstone
