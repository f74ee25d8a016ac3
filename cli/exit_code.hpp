// Exit codes: what a script learns without reading a word.
#pragma once

#include <loadstone/error.hpp>

namespace loadstone::cli {

inline constexpr int kDone = 0;
inline constexpr int kBug = 1;
inline constexpr int kUsage = 2;       ///< also a cast, split, selection or tile map that the dataset does not allow
inline constexpr int kFaulty = 3;      ///< the dataset or the paths given
inline constexpr int kIncomplete = 4;  ///< complete.*, names.hole, names.first_index alone
inline constexpr int kDiffers = 5;
inline constexpr int kBudget = 6;  ///< also memory that the system refused
inline constexpr int kInput = 7;   ///< I/O failed, a file changed, no space
inline constexpr int kUnsupported = 8;
inline constexpr int kLost = 9;
inline constexpr int kInterrupted = 130;
inline constexpr int kTerminated = 143;

/// The code of one fault on its own. `cancelled` is kInterrupted here.
int exit_code_of(const Fault& fault) noexcept;
/// Of several kinds, a stop and our own bugs come first, then 3, then 8, 5, 7, 4, 6, 2.
/// @param signal  that stopped the command: SIGTERM turns `cancelled` into kTerminated
int exit_code_of(const Failure& failure, int signal = 0) noexcept;

}  // namespace loadstone::cli
