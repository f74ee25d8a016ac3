// What may only be tried in a process of its own: closed standard streams, lowered limits, signals.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <exception>

namespace loadstone::test {

/// The answer of `action` (0 to 100) in a forked process; -1 if a signal ended it, 101 if it threw. The child ends
/// without destructors and without a word.
template <class Action>
int in_child(const Action& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      ::_exit(action());
    } catch (const std::exception&) {
      ::_exit(101);
    }
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace loadstone::test
