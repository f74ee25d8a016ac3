#include "comm/conformance_suite.hpp"
#include "mpi/world.hpp"

namespace loadstone::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Mpi, CommunicatorConformance, testing::Values(world_group()), group_name);

}  // namespace
}  // namespace loadstone::test
