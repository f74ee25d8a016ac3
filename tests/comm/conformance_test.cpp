#include "comm/conformance_suite.hpp"

namespace loadstone::test {
namespace {

Group self_group() {
  return {"self", 1, [](const CommBody& body) { body(self_communicator()); }};
}

INSTANTIATE_TEST_SUITE_P(Self, CommunicatorConformance, testing::Values(self_group()), group_name);
INSTANTIATE_TEST_SUITE_P(Threads, CommunicatorConformance,
                         testing::Values(threads_group(1), threads_group(2), threads_group(3), threads_group(4),
                                         threads_group(5), threads_group(7)),
                         group_name);

}  // namespace
}  // namespace loadstone::test
