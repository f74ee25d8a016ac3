// Bytes that are in memory already, copied to where they are wanted: resident pages out of a short-lived mapping or by
// a plain read, and what direct reads brought into a block.
#pragma once

#include "core/kernels.hpp"
#include "core/ledger.hpp"
#include "io/counters.hpp"
#include "io/file.hpp"

#include <sys/uio.h>

#include <cstdint>
#include <span>

namespace loadstone::io {

/// What is to be copied. The destinations and the descriptor outlive the job.
struct CopyJob {
  std::uint64_t tag = 0;
  Way way = Way::mapped;
  int fd = -1;
  std::int64_t offset = 0;
  std::span<const iovec> destinations;
  std::span<const std::byte> gap;    ///< pieces that go there are wanted by nobody; empty: there are none
  std::span<const std::byte> block;  ///< the bytes, where they have been read already; outlives the job
  FileIdentity identity;
  IdentityRule rule = IdentityRule::strict;
  const CopyKernels* kernels = &best_kernels();  ///< never null
};

/// Checks the identity, maps (charged to the ledger), copies under the guard, checks again. False: nothing can be said
/// about the destination's bytes, read them another way.
bool copy_mapped(const CopyJob& job, Ledger& ledger);
/// Reads with plain system calls. False: something was in the way; nothing can be said about the destination's bytes.
bool copy_by_reading(const CopyJob& job);
/// Copies what is in the block.
void copy_from_block(const CopyJob& job);

}  // namespace loadstone::io
