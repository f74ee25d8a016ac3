// What may only be tried in a process of its own: closed standard streams, lowered limits, rights given up, signals.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

namespace loadstone::test {

/// The answer of `action` (0 to 100) in a forked process; -1 if a signal ended it, 101 if it threw, which is printed.
/// The child ends without destructors.
template <class Action>
int in_child(const Action& action) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    int answer = 101;
    try {
      answer = action();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in a child: %s\n", error.what());
    }
    std::fflush(nullptr);
    ::_exit(answer);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Whether `condition` returns true in a child.
template <class Condition>
testing::AssertionResult holds_in_child(const Condition& condition) {
  const int answer = in_child([&] { return condition() ? 0 : 1; });
  if (answer == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "the child answered " << answer;
}

/// Whether this process may become somebody without rights.
inline bool may_become_nobody() { return ::geteuid() == 0; }

/// For a child: from now on nobody in particular.
inline bool become_nobody() {
  constexpr unsigned kNobody = 65534;
  return ::setresgid(kNobody, kNobody, kNobody) == 0 && ::setresuid(kNobody, kNobody, kNobody) == 0;
}

/// For a child: from now on no thread can be started.
inline bool give_up_threads() {
  const rlimit none = {0, 0};
  return become_nobody() && ::setrlimit(RLIMIT_NPROC, &none) == 0;
}

}  // namespace loadstone::test
