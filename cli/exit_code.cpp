#include "cli/exit_code.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

namespace loadstone::cli {
namespace {

/// The worse of two codes stands further left.
constexpr std::array kWorstFirst{kBug,     kTerminated, kInterrupted, kLost,   kFaulty, kUnsupported,
                                 kDiffers, kInput,      kIncomplete,  kBudget, kUsage,  kDone};

int worse(int a, int b) noexcept {
  return std::find(kWorstFirst.begin(), kWorstFirst.end(), a) < std::find(kWorstFirst.begin(), kWorstFirst.end(), b)
             ? a
             : b;
}

bool is_about_completeness(std::string_view kind) noexcept {
  return kind.starts_with("complete.") || kind == "names.hole" || kind == "names.first_index";
}

int exit_code_of(Code code) noexcept {
  switch (code) {
    case Code::not_found:
    case Code::not_regular:
    case Code::outside_root:
    case Code::malformed:
    case Code::truncated:
    case Code::too_large:
    case Code::no_data:
    case Code::mismatch:
      return kFaulty;
    case Code::checksum:
      return kDiffers;
    case Code::refused:
    case Code::unsupported:
      return kUnsupported;
    case Code::lossy:
    case Code::bad_argument:
      return kUsage;
    case Code::io:
    case Code::changed:
    case Code::no_space:
      return kInput;
    case Code::budget:
    case Code::out_of_memory:
      return kBudget;
    case Code::cancelled:
      return kInterrupted;
    case Code::deadline:
    case Code::comm:
      return kLost;
    case Code::released:
    case Code::internal:
      return kBug;
  }
  return kBug;
}

}  // namespace

int exit_code_of(const Fault& fault) noexcept {
  return is_about_completeness(fault.kind) ? kIncomplete : exit_code_of(fault.code);
}

int exit_code_of(const Failure& failure, int signal) noexcept {
  int code = kDone;
  for (const Fault& fault : failure.faults) code = worse(code, exit_code_of(fault));
  if (code == kDone) return kBug;
  return code == kInterrupted && signal == SIGTERM ? kTerminated : code;
}

}  // namespace loadstone::cli
