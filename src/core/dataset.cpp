#include <loadstone/dataset.hpp>

namespace loadstone {

std::string_view to_string(Proof proof) noexcept {
  switch (proof) {
    case Proof::names:
      return "names";
    case Proof::counts:
      return "counts";
    case Proof::manifest:
      return "manifest";
    default:
      return "none";
  }
}

}  // namespace loadstone
