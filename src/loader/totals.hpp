// Statistics of a load as its caller gets them.
#pragma once

#include "core/interrupt.hpp"
#include "core/ledger.hpp"

#include <loadstone/load.hpp>
#include <loadstone/stats.hpp>

namespace loadstone::loader {

/// Fills in the limit of the budget and its peaks so far. Local.
void tell_budget(const Ledger& ledger, LoadStats& stats);

/// Of two loads of one rank, one after the other: counts and seconds added up, peaks and limits the higher. Local.
LoadStats sum(LoadStats so_far, const LoadStats& next);

/// Sums over ranks, peaks and seconds the worst. Collective.
LoadStats total_over_ranks(const LoadStats& stats, const CommPtr& comm, const Interrupt& interrupt = {});

}  // namespace loadstone::loader
