// The driver seam: what a file holds, and where the bytes of a box lie in it. A driver is handed a ByteSource and opens
// nothing; parsing is a pure function of bytes and limits.
#pragma once

#include "core/limits.hpp"
#include "core/status.hpp"

#include <loadstone/dataset.hpp>
#include <loadstone/distribution.hpp>
#include <loadstone/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::formats {

/// Random access to the bytes of one file, given by whoever opened it.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  [[nodiscard]] virtual std::int64_t size() const = 0;
  /// Reads up to out.size() bytes at `offset`; fewer only at the end of the file.
  virtual Result<std::int64_t> read(std::int64_t offset, std::span<std::byte> out) const = 0;
};

/// What a shard holds. The payload is dense: strides follow from shape, order and itemsize.
struct Description {
  DType dtype;
  Shape shape;
  StorageOrder order = StorageOrder::c;
  std::int64_t data_offset = 0;
  std::int64_t nbytes = 0;  ///< of the payload, as stated: shape x itemsize
};

/// The layout that raw shards need beside their bytes.
struct RawLayout {
  DType dtype;
  Shape trailing_shape;
  StorageOrder order = StorageOrder::c;
  std::int64_t header_bytes = 0;     ///< where the payload starts
  std::optional<std::int64_t> rows;  ///< stated rows of this shard; empty: from the size
  bool allow_tail = false;
};

struct DescribeContext {
  Limits limits;
  std::optional<RawLayout> raw;  ///< for the raw driver only
};

/// Faults have kind, message, remedy, offset, wanted and got as datasets.md section 3 says; the caller adds shard,
/// path.
class Driver {
 public:
  virtual ~Driver() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Whether the first bytes (up to 64) are this format's.
  [[nodiscard]] virtual bool probe(std::span<const std::byte> first_bytes) const = 0;
  /// Header only, by at most a few reads. Reports also shard.truncated (payload shorter than stated; wanted, got).
  virtual Result<Description> describe(const ByteSource& source, const DescribeContext& context) const = 0;
};

struct DriverEntry {
  std::string_view name;
  bool built = false;
  std::string_view summary;  ///< what it reads, or what would build it
  const Driver* driver = nullptr;
  std::span<const std::string_view> extensions;
};

/// All known formats, built or not; the one place that knows them.
std::span<const DriverEntry> driver_table();
/// The driver forced by name. `bad_argument` lists the known; a known one that is not built is `unsupported`.
Result<const Driver*> find_driver(std::string_view name);
/// The format by its first bytes: a driver, or kind shard.format saying what the bytes are ("empty", "text",
/// "zip archive, maybe .npz", "Git LFS pointer", "HDF5", else 16 bytes in hex).
Result<const Driver*> driver_of(std::span<const std::byte> first_bytes);

}  // namespace loadstone::formats
