// What is tried in a child process: things that cannot be taken back, such as giving up rights.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

namespace loadstone::test {

/// Whether `holds` returns true in a child.
template <class Condition>
testing::AssertionResult in_child(const Condition& holds) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    bool held = false;
    try {
      held = holds();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in a child: %s\n", error.what());
    }
    std::fflush(nullptr);
    ::_exit(held ? 0 : 1);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return testing::AssertionFailure() << "no child";
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "the child ended with status " << status;
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
