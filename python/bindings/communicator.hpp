// A communicator as Python holds it.
#pragma once

#include <loadstone/load.hpp>

namespace loadstone::python {

/// One holder a Python object, so that no C++ copy of the pointer depends on the interpreter's lock.
struct Ranks {
  CommPtr comm;
};

}  // namespace loadstone::python
