// Bytes that Python sees through the buffer protocol, without a copy.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace loadstone::python {

/// Writable bytes and what keeps them alive. Whoever views them (a NumPy array, say) holds this object.
struct Buffer {
  std::shared_ptr<const void> owner;
  std::span<std::byte> bytes;
};

}  // namespace loadstone::python
