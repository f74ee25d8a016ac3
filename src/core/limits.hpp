// Caps on what a file may ask of us (the hostile-input rules). Set by the caller, printed by `plan`.
#pragma once

#include <cstdint>

namespace loadstone {

struct Limits {
  std::int64_t max_npy_header_bytes = std::int64_t{1} << 20;
  std::int64_t max_manifest_bytes = std::int64_t{256} << 20;
  std::int64_t max_sidecar_bytes = std::int64_t{16} << 20;
  std::int64_t max_json_depth = 64;
  std::int64_t max_name_bytes = 4096;
  std::int64_t max_ndim = 64;
  std::int64_t max_shards = 1'000'000;
  std::int64_t max_result_bytes = 0;  ///< per rank; 0: the node's memory divided by its ranks
};

}  // namespace loadstone
