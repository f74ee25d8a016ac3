// Which pages of this process are 2 MiB ones.
#pragma once

#include "core/pages.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace loadstone::io {

/// How many bytes of some memory lie on 2 MiB pages; empty where the kernel does not tell (before Linux 6.7).
std::optional<std::int64_t> bytes_on_huge_pages(std::span<const std::byte> memory);

/// Whether the system gives nobody transparent 2 MiB pages, by the text of
/// /sys/kernel/mm/transparent_hugepage/enabled, such as "always madvise [never]".
bool gives_no_huge_pages(std::string_view enabled);

/// Adds why some memory is on 4 KiB pages although 2 MiB ones were wished for; nothing if it is not known to be.
void count_refusals(const Pages& memory, std::map<std::string, std::int64_t>& fallbacks);

}  // namespace loadstone::io
