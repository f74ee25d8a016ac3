// Names and order (DS10 to DS16): from base names to the order of the shards and what is wrong with the names. Pure.
#pragma once

#include <loadstone/dataset.hpp>
#include <loadstone/error.hpp>
#include <loadstone/options.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::loader {

/// What the user said about names.
struct NameRules {
  Order order = Order::automatic;
  std::optional<std::int64_t> first_index;
  bool any_first_index = false;
};

/// What the names say.
struct NameOrder {
  std::vector<std::size_t> order;            ///< which of the names are shards, along the stack axis
  std::string pattern;                       ///< "shard_{:04}.npy"; a single name itself; empty if there is none
  std::optional<std::int64_t> stated_count;  ///< N of "-of-N" names
  bool settled = false;                      ///< order and numbering were checked: no hole is inside
  std::vector<Fault> faults;                 ///< names.*, paths.ambiguous; `path` is a name as it was given
  std::vector<Fault> warnings;
};

/// Names of a directory or a glob: one pattern must hold them all; numbering is checked.
NameOrder order_names(std::span<const std::string> names, const NameRules& rules);

/// Names that were listed one by one: they keep their order, unless `numeric` is asked for, or they are of one pattern
/// and in string order that is not numeric order (warning names.reordered). Holes are a warning: the user chose.
NameOrder order_list(std::span<const std::string> names, Order order);

/// Names whose text parts agree.
struct NameGroup {
  std::string glob;                  ///< "shard_*.npy": a star where digits vary
  std::vector<std::size_t> members;  ///< in order of the names
};
/// Largest first, then by glob.
std::vector<NameGroup> group_names(std::span<const std::string> names);

}  // namespace loadstone::loader
