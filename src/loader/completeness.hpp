// Completeness (DS21 to DS23): whether all shards are there, and what shows it. Pure.
#pragma once

#include "loader/found.hpp"
#include "loader/scan.hpp"

#include <loadstone/options.hpp>

#include <optional>
#include <span>
#include <vector>

namespace loadstone::loader {

/// Faults complete.count and complete.rows. A count that a hole in the names explains is not told twice.
std::vector<Fault> check_counts(const Found& found, std::span<const Record> records, const OpenOptions& options);

/// What proves the dataset once expectations have been checked.
Proof proof_of(const Found& found, const OpenOptions& options) noexcept;

/// Warning complete.unproven where names alone speak for the dataset.
std::optional<Fault> unproven(const Found& found, Proof proof);

/// Fault complete.size: the file is not as large as stated; the header need not be believed then.
std::optional<Fault> size_fault(const Stated& stated, const FileIdentity& identity, const std::string& set_by);

}  // namespace loadstone::loader
