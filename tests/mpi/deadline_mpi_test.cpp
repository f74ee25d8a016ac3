// One rank stops dead: the others end at the deadline and name it (T27). The program must fail; ctest looks at its
// words.
#include "comm/agree.hpp"
#include "mpi/world.hpp"

#include <csignal>
#include <cstdlib>

int main() {
  using namespace loadstone;
  constexpr int kStopped = 1;
  const auto& world = test::world();
  comm::Agreement agreement(world, Interrupt{.stop = {}, .deadline_s = 2, .clock = steady_seconds},
                            [](const Failure&) { std::_Exit(3); });
  throw_if_failed(agreement.verdict("discover", {}));
  if (world->rank() == kStopped) raise(SIGSTOP);
  throw_if_failed(agreement.verdict("read", {}, 7));
  return 0;
}
