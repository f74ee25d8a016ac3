// Which pages of this process are 2 MiB ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace loadstone::io {

/// How many bytes of some memory lie on 2 MiB pages; empty where the kernel does not tell (before Linux 6.7).
std::optional<std::int64_t> bytes_on_huge_pages(std::span<const std::byte> memory);

}  // namespace loadstone::io
