// Options as text, to compare them over ranks: what changes the plan or the bytes, and nothing else (DS42, IO-41).
#pragma once

#include <loadstone/options.hpp>

#include <string>

namespace loadstone::loader {

/// Equal texts: equal plans of equal datasets. Budget, deadline and ways of reading may differ between ranks.
std::string options_text(const LoadOptions& options);

}  // namespace loadstone::loader
