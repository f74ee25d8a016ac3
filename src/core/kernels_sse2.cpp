// The set of every x86-64 processor.
#include "core/kernel_loops.hpp"
#include "core/kernel_sets.hpp"
#include "core/vector_sse2.hpp"

namespace loadstone::kernel_sets {

constinit const CopyKernels kSse2 = kernel_loops::make_kernels<Vector128>("sse2");

}  // namespace loadstone::kernel_sets
