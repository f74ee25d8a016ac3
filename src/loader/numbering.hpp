// The numbers of names of one pattern: duplicates, first index, holes, widths (DS12 to DS14). Pure; used by names.cpp.
#pragma once

#include "loader/names.hpp"

namespace loadstone::loader {

/// Orders `members` by the number in `run`, fills in the pattern, and reports what is wrong with the numbering.
void number(std::span<const std::string> names, const std::vector<std::size_t>& members, std::size_t run,
            const NameRules& rules, NameOrder& out);

/// A single name that a directory or glob led to: no numbering rules, but "-of-N" still states the count.
void single(std::span<const std::string> names, NameOrder& out);

/// A list whose names are of one pattern: the pattern, "-of-N", and holes as a warning. Keeps `out.order`.
void describe_list(std::span<const std::string> names, std::size_t run, NameOrder& out);

/// Warning names.reordered with the first two that were swapped.
Fault reordered(std::span<const std::string> names, const std::vector<std::size_t>& numeric);

}  // namespace loadstone::loader
