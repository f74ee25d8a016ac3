// The sets that were built; kernels.cpp alone looks at them.
#pragma once

#include "core/kernels.hpp"

namespace loadstone::kernel_sets {

extern const CopyKernels kGeneric;
#if defined(__x86_64__)
extern const CopyKernels kSse2;
extern const CopyKernels kAvx2;
extern const CopyKernels kAvx512;
#elif defined(__aarch64__)
extern const CopyKernels kNeon;
#endif

}  // namespace loadstone::kernel_sets
