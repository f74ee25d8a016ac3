#include "comm/agreement_suite.hpp"
#include "mpi/world.hpp"

namespace loadstone::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Mpi, AgreementConformance, testing::Values(world_group()), group_name);

}  // namespace
}  // namespace loadstone::test
