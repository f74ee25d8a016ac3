// The drivers that are built, for the table in driver.cpp.
#pragma once

#include "formats/driver.hpp"

namespace loadstone::formats {

const Driver& npy_driver();
const Driver& raw_driver();

}  // namespace loadstone::formats
