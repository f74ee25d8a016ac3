#include "core/option_words.hpp"
#include "core/text.hpp"
#include "io/backend.hpp"
#include "io/backend_makers.hpp"
#include "io/faults.hpp"

#include <fmt/format.h>

#include <array>

namespace loadstone::io {
namespace {

#if LOADSTONE_WITH_URING
constexpr bool kUringBuilt = true;
constexpr auto* kProbeUring = &probe_uring;
constexpr auto* kMakeUring = &make_uring;
std::unique_ptr<Backend> make_ring_if_usable(int depth) { return probe_uring().usable ? make_uring(depth) : nullptr; }
std::string why_no_ring_here() {
  const Support support = probe_uring();
  return support.usable ? "it could not be set up" : support.reason;
}
#else
constexpr bool kUringBuilt = false;
Support uring_not_built() { return {false, "not built: liburing was missing or LOADSTONE_WITH_URING was off"}; }
constexpr auto* kProbeUring = &uring_not_built;
constexpr std::unique_ptr<Backend> (*kMakeUring)(int) = nullptr;
std::unique_ptr<Backend> make_ring_if_usable(int) { return nullptr; }
std::string why_no_ring_here() { return {}; }
#endif

Support probe_mmap() { return {true, "serves copies of resident pages; cannot be chosen for all reads"}; }
Support probe_gds() { return {false, "not built: reads into device memory need GPUDirect Storage"}; }

constexpr std::array<BackendEntry, 4> kTable = {{
    {"posix", true, "blocking reads on a pool of threads", &probe_posix, &make_posix},
    {"uring", kUringBuilt, "one io_uring per engine", kProbeUring, kMakeUring},
    {"mmap", true, "guarded copies of resident pages, chosen window by window", &probe_mmap, nullptr},
    {"gds", false, "reads into device memory", &probe_gds, nullptr},
}};

std::string choices() {
  std::string text = "auto";
  for (const BackendEntry& entry : kTable) {
    if (entry.make != nullptr && entry.probe().usable) text += fmt::format(", {}", entry.name);
  }
  return text;
}

Fault refused(std::string_view name, std::string_view reason) {
  Fault fault = make_fault(Code::bad_argument, "io.backend", "",
                           fmt::format("the backend {} cannot be used: {}", escape(name), reason),
                           fmt::format("For {} choose one of {}", named(Option::io_backend), choices()));
  fault.item = "io.backend";
  return fault;
}

}  // namespace

std::span<const BackendEntry> backend_table() { return kTable; }

std::string why_no_ring() { return why_no_ring_here(); }

Result<std::unique_ptr<Backend>> make_backend(std::string_view name, int depth, std::string* chosen) {
  if (name.empty() || name == "auto") {
    if (auto ring = make_ring_if_usable(depth)) {
      if (chosen != nullptr) *chosen = "uring";
      return ring;
    }
    name = "posix";
  }
  for (const BackendEntry& entry : kTable) {
    if (entry.name != name) continue;
    const Support support = entry.probe();
    if (!support.usable || entry.make == nullptr) return refused(name, support.reason);
    auto backend = entry.make(depth);
    if (backend == nullptr) return refused(name, "it could not be set up");
    if (chosen != nullptr) *chosen = entry.name;
    return backend;
  }
  return refused(name, "there is no such backend");
}

}  // namespace loadstone::io
