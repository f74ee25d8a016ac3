// Options that are wrong whatever the files hold: said before anything is looked for.
#pragma once

#include "core/status.hpp"

#include <loadstone/load.hpp>
#include <loadstone/options.hpp>

#include <string_view>
#include <vector>

namespace loadstone::loader {

/// A format that there is not or that is not built, and options of which one makes another mean nothing: bad_argument,
/// but for what formats::find_driver says. The same for equal options.
Status check_options(const OpenOptions& options);
/// Options that say nothing of shards of the format that was found: a fault each.
std::vector<Fault> idle_options(const OpenOptions& options, std::string_view format);
/// The same of verify's own.
Status check_options(const VerifyOptions& options);

}  // namespace loadstone::loader
