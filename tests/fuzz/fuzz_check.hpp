// What a fuzz target demands of every answer, whatever the bytes.
#pragma once

#include <loadstone/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace loadstone::fuzz {

/// Ends the process with the reason, which a fuzzer takes for a crash.
inline void demand(bool truth, std::string_view reason) {
  if (truth) return;
  std::fprintf(stderr, "demand broken: %.*s\n", static_cast<int>(reason.size()), reason.data());
  std::abort();
}

inline bool is_printable(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  return true;
}

/// Kind, sentence and remedy are there, and nothing in them can write to a terminal (E6).
inline void demand_told(const Failure& failure) {
  demand(!failure.faults.empty(), "a failure has a fault");
  for (const Fault& fault : failure.faults) {
    demand(!fault.kind.empty() && !fault.message.empty() && !fault.remedy.empty(), "a fault is told in full");
    demand(fault.code != Code::internal, "a fault of a file is not ours");
    demand(is_printable(fault.message) && is_printable(fault.item), "bytes from a file are escaped");
    if (const auto* text = std::get_if<std::string>(&fault.got)) demand(is_printable(*text), "`got` is escaped");
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};  // NOLINT(*-reinterpret-cast): bytes as text
}

}  // namespace loadstone::fuzz
