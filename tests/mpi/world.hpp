// The world of a test under a launcher; each program says how it gets it.
#pragma once

#include "comm/groups.hpp"

namespace loadstone::test {

const std::shared_ptr<Communicator>& world();

inline Group world_group() {
  return {"world", world()->size(), [](const CommBody& body) { body(world()); }};
}

}  // namespace loadstone::test
