// Everything, in one include. Headers that need foreign ones are in loadstone/interop/.
#pragma once

#include <loadstone/array.hpp>
#include <loadstone/communicator.hpp>
#include <loadstone/context.hpp>
#include <loadstone/dataset.hpp>
#include <loadstone/distribution.hpp>
#include <loadstone/dtype.hpp>
#include <loadstone/error.hpp>
#include <loadstone/load.hpp>
#include <loadstone/options.hpp>
#include <loadstone/plan.hpp>
#include <loadstone/selection.hpp>
#include <loadstone/stats.hpp>
#include <loadstone/version.hpp>
