// Settings of a call: options over environment over defaults, read in one place (io.md section 10).
#pragma once

#include "core/status.hpp"
#include "io/engine.hpp"
#include "loader/environment.hpp"
#include "loader/machine.hpp"

#include <loadstone/load.hpp>
#include <loadstone/options.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loadstone::loader {

struct Settings {
  io::EngineSettings engine;
  std::int64_t budget_bytes = 0;
  bool budget_guessed = false;
  std::int64_t most_tile_bytes = 0;  ///< that this machine could hold for each of the ranks on it
  double deadline_s = 300;
  std::vector<std::string> roots;
  std::vector<Setting> printed;  ///< name, value, origin: what `loadstone probe --settings` shows
};

/// The environment is read here and nowhere else. A wrong value is `bad_argument` naming the variable and the right
/// ones.
/// @param ranks_on_node  for the default budget and queue depth
Result<Settings> make_settings(const IoOptions& io, const std::optional<std::int64_t>& budget_bytes, double deadline_s,
                               const std::optional<IdentityRule>& identity, const std::vector<std::string>& roots,
                               int ranks_on_node);

/// The same from values: pure.
Result<Settings> settle(const IoOptions& io, const std::optional<std::int64_t>& budget_bytes, double deadline_s,
                        const std::optional<IdentityRule>& identity, const std::vector<std::string>& roots,
                        int ranks_on_node, const Environment& environment, const Machine& machine);

/// `out_of_memory` for a tile that this machine cannot hold at all: the system would grant its addresses, and end the
/// process when its pages are touched. Pure.
Status fits_machine(std::int64_t tile_bytes, const Settings& settings);

}  // namespace loadstone::loader
