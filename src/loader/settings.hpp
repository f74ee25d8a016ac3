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

}  // namespace loadstone::loader
