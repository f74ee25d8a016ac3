// One rank of each node looks at the paths for itself: what it finds must be what rank 0 found (DS42). A node may see
// an older directory of a network file system, or have another one mounted there.
#pragma once

#include "comm/agree.hpp"
#include "core/status.hpp"
#include "loader/describe.hpp"
#include "loader/found.hpp"

#include <loadstone/load.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace loadstone::loader {

/// What a rank sees of the world. Tests let threads of one process stand on several nodes.
struct View {
  std::string host;
  std::function<Found(const Paths&, const ExpandContext&)> look;  ///< as expand() does, without standard input
};
/// This machine's.
View own_view();

/// Who compares: the lowest rank of each node that rank 0 is not on.
struct Comparers {
  bool any = false;  ///< there are other nodes; the same on every rank
  bool me = false;
};
/// Collective.
/// @param ready  why this rank cannot say where it is: then all fail with it
Result<Comparers> choose_comparers(comm::Agreement& agreement, std::string_view phase, const std::string& host,
                                   Status ready);

/// Success, or `ranks.differ` with rank, host, what differs and the first five shards that do. Pure.
Status compare_listings(const Found& of_rank_0, const Found& mine, int rank, const std::string& host);

}  // namespace loadstone::loader
