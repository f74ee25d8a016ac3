// The scan: opens each shard once, tells its format, reads its header, takes its identity. At most six system calls a
// file where the header fits into the first 4 KiB (DS19).
#pragma once

#include "core/interrupt.hpp"
#include "core/limits.hpp"
#include "core/status.hpp"
#include "formats/driver.hpp"
#include "io/file.hpp"
#include "loader/found.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace loadstone::loader {

/// What the scan learned of one shard.
struct Record {
  std::string format;              ///< driver; empty if none was found
  formats::Description described;  ///< meaningful where `faults` is empty
  FileIdentity identity;           ///< size 0 if it could not be opened
  std::string tail;                ///< the first 16 bytes after the payload, in hex; empty if there are none
  std::vector<Fault> faults;       ///< with path, without shard

  [[nodiscard]] bool sound() const noexcept { return faults.empty(); }
};

struct ScanSettings {
  Limits limits;
  int threads = 0;  ///< 0: min(4, cores this process may use)
};

/// Scans files [begin, end) of what was found. A stop is `cancelled`; faults of files are in their records. Local.
Result<std::vector<Record>> scan(const Found& found, std::size_t begin, std::size_t end, const io::Opener& opener,
                                 const ScanSettings& settings, const Interrupt& interrupt);

}  // namespace loadstone::loader
