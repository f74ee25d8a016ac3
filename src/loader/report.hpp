// The report of discover (DS17, DS18): which code a kind has, and the order in which faults are listed. Pure.
#pragma once

#include <loadstone/dataset.hpp>
#include <loadstone/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::loader {

/// The code that datasets.md section 3 gives a kind of discover.
Code code_of(std::string_view kind) noexcept;

/// A fault of that kind with its code.
Fault make_fault(std::string_view kind, std::string message, std::string remedy);

/// `verify.differs`: a sum of a shard is not the one that its manifest states. `what` names the sum.
Fault differs_from_manifest(const Dataset& dataset, std::int64_t shard, std::string_view what,
                            const std::string& wanted, const std::string& got);

/// `paths.duplicate`: the second path is the file of the first.
Fault same_file(const std::string& first, const std::string& second);

/// Appends faults; those without a path get this one.
void add_faults(std::vector<Fault>& target, std::vector<Fault> faults, const std::string& path);

/// Sorts by the rows of the table of section 3, then by shard, kind, path and message; equal input, equal order.
void sort_report(std::vector<Fault>& faults);

/// All faults as the failure of phase "discover", sorted, at most 10,000 kept; no rank is named.
Failure make_report(std::vector<Fault> faults);

}  // namespace loadstone::loader
