// How many system calls the header scan makes a file (io.md section 11), counted by a tracer, so that none is missed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <loadstone/loadstone.hpp>

#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/index_shards.hpp"

namespace loadstone {
namespace {

/// Follows a process and its threads from system call to system call until it ends. Each call stops twice. Empty if it
/// ends otherwise than with 0.
std::optional<std::int64_t> count_stops(pid_t child) {
  std::int64_t stops = 0;
  while (true) {
    int status = 0;
    const pid_t who = ::waitpid(-1, &status, __WALL);
    if (who < 0 && errno == EINTR) continue;
    if (who < 0) return {};
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (who != child) continue;
      return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::optional(stops) : std::nullopt;
    }
    const int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) ++stops;
    const bool is_tracing = signal == (SIGTRAP | 0x80) || signal == SIGTRAP || signal == SIGSTOP;
    ::ptrace(PTRACE_SYSCALL, who, nullptr, is_tracing ? 0 : signal);
  }
}

/// System calls of opening a dataset in a process of its own; empty where tracing is forbidden.
std::optional<std::int64_t> calls_of_open(const Paths& paths) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(1);
    ::raise(SIGSTOP);
    try {
      open(paths);
    } catch (const Error&) {
      ::_exit(2);
    }
    ::_exit(0);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return {};
  if (::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) !=
      0) {
    return {};
  }
  ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  const auto stops = count_stops(child);
  return stops ? std::optional(*stops / 2) : std::nullopt;
}

TEST(SystemCalls, OfTheHeaderScanAreAtMostSixAFile) {
  // What a process does once, and threads and memory for many files, falls out of the difference or is far below one.
  constexpr std::array<std::int64_t, 2> kFiles = {1000, 3000};
  std::array<std::int64_t, 2> calls{};
  for (std::size_t i = 0; i < kFiles.size(); ++i) {
    const test::TempDir directory;
    const std::vector<std::int64_t> rows(static_cast<std::size_t>(kFiles[i]), 1);
    test::write_index_shards(directory, {kFiles[i], 2}, rows);
    const auto counted = calls_of_open({directory.path().string()});
    if (!counted) GTEST_SKIP() << "no process may trace another here";
    calls[i] = *counted;
  }
  const double per_file = static_cast<double>(calls[1] - calls[0]) / static_cast<double>(kFiles[1] - kFiles[0]);
  EXPECT_LE(per_file, 6.5) << "six, and what does not grow evenly";
  EXPECT_GE(per_file, 3) << "open, read, close: the tracer sees them";
  RecordProperty("calls_per_file", std::to_string(per_file));
}

}  // namespace
}  // namespace loadstone
