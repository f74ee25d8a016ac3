#include "cli/signal_watch.hpp"

#include "core/interrupt.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdint>
#include <system_error>

namespace loadstone::cli {
namespace {

constexpr double kSecondsToEndWell = 1;

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

int checked(int descriptor, const char* what) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), what);
  return descriptor;
}

/// Ends the process as if the signal had never been watched.
void end_by(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(signal);
}

}  // namespace

SignalWatch::SignalWatch() {
  const sigset_t set = watched();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &set, &before);
  blocked_int_ = sigismember(&before, SIGINT) == 1;
  blocked_term_ = sigismember(&before, SIGTERM) == 1;
  signals_ = checked(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
  end_ = checked(::eventfd(0, EFD_CLOEXEC), "eventfd");
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {
    unblock();  // no thread is left for it: the signals end the process, as they do where nobody watches
  }
}

SignalWatch::~SignalWatch() {
  const std::uint64_t one = 1;
  if (thread_.joinable() && ::write(end_, &one, sizeof one) == sizeof one) thread_.join();
  if (thread_.joinable()) thread_.detach();
  // One that came while the thread ended must not end the process when the mask is restored: the call has stopped
  // already.
  signalfd_siginfo late{};
  while (first_ != 0 && ::read(signals_, &late, sizeof late) == sizeof late) {
  }
  ::close(signals_);
  ::close(end_);
  unblock();
}

void SignalWatch::unblock() const {
  sigset_t set;
  sigemptyset(&set);
  if (!blocked_int_) sigaddset(&set, SIGINT);
  if (!blocked_term_) sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void SignalWatch::watch() {
  pollfd wanted[] = {{signals_, POLLIN, 0}, {end_, POLLIN, 0}};
  while (::poll(wanted, 2, -1) >= 0 || errno == EINTR) {
    if ((wanted[1].revents & POLLIN) != 0) return;
    signalfd_siginfo info{};
    if (::read(signals_, &info, sizeof info) == sizeof info) take(static_cast<int>(info.ssi_signo), steady_seconds());
  }
}

void SignalWatch::take(int signal, double now_s) {
  int none = 0;
  if (first_.compare_exchange_strong(none, signal)) {
    first_at_s_ = now_s;
    stop_.request_stop();
  } else if (now_s >= first_at_s_ + kSecondsToEndWell) {
    end_by(signal);
  }
}

}  // namespace loadstone::cli
