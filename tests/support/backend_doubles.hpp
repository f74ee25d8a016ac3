// Test doubles of the backend seam: each wraps another backend and spoils one thing.
#pragma once

#include "io/backend.hpp"
#include "support/seed.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace loadstone::test {

/// A clock that only moves when told to.
class FakeClock {
 public:
  [[nodiscard]] double now() const { return now_; }
  void advance(double seconds) { now_ += seconds; }
  [[nodiscard]] Clock clock() {
    return [this] { return now_; };
  }

 private:
  double now_ = 0;
};

/// Forwards everything. intercept() may answer a request itself; arrived() may change what comes back.
class BackendDouble : public io::Backend {
 public:
  explicit BackendDouble(std::unique_ptr<io::Backend> inner) : inner_(std::move(inner)) {}

  int attach(int fd) override { return inner_->attach(fd); }
  void detach(int slot) override { inner_->detach(slot); }
  void register_memory(std::span<std::byte> memory) override { inner_->register_memory(memory); }
  void unregister_memory(std::span<std::byte> memory) override { inner_->unregister_memory(memory); }

  int submit(std::span<const io::Request> requests) override {
    int taken = 0;
    for (const io::Request& request : requests) {
      if (const std::optional<std::int64_t> result = intercept(request)) {
        own_.push_back({request.tag, *result});
      } else if (forward(request) == 0) {
        break;
      }
      ++taken;
    }
    return taken;
  }

  std::span<const io::Completion> wait(int min, const Interrupt& interrupt) override {
    returned_ = std::exchange(own_, {});
    const int missing = std::max(0, min - static_cast<int>(returned_.size()));
    for (io::Completion completion : inner_->wait(missing, interrupt)) {
      arrived(completion);
      returned_.push_back(completion);
    }
    return returned_;
  }

  void cancel(std::uint64_t tag) override { inner_->cancel(tag); }
  std::vector<std::uint64_t> close(const Interrupt& interrupt) override { return inner_->close(interrupt); }

 protected:
  virtual std::optional<std::int64_t> intercept(const io::Request& request) {
    (void)request;
    return std::nullopt;
  }
  virtual int forward(const io::Request& request) { return inner_->submit({&request, 1}); }
  virtual void arrived(io::Completion& completion) { (void)completion; }

  std::unique_ptr<io::Backend> inner_;
  std::vector<io::Completion> own_;
  std::vector<io::Completion> returned_;
};

/// Counts requests, files and memory, and knows which of them are attached or registered now.
class CountingBackend final : public BackendDouble {
 public:
  struct Counts {
    std::int64_t requests = 0;
    std::int64_t completions = 0;
    std::int64_t direct = 0;
    std::int64_t nowait = 0;
    std::int64_t iovecs = 0;
    std::int64_t attached = 0;
    std::int64_t detached = 0;
    std::int64_t registered = 0;
    std::set<int> slots;
    std::set<const std::byte*> memory;
  };
  CountingBackend(std::unique_ptr<io::Backend> inner, Counts& counts)
      : BackendDouble(std::move(inner)), counts_(counts) {}

  int attach(int fd) override {
    ++counts_.attached;
    return *counts_.slots.insert(BackendDouble::attach(fd)).first;
  }
  void detach(int slot) override {
    ++counts_.detached;
    counts_.slots.erase(slot);
    BackendDouble::detach(slot);
  }
  void register_memory(std::span<std::byte> memory) override {
    ++counts_.registered;
    counts_.memory.insert(memory.data());
    BackendDouble::register_memory(memory);
  }
  void unregister_memory(std::span<std::byte> memory) override {
    counts_.memory.erase(memory.data());
    BackendDouble::unregister_memory(memory);
  }

 protected:
  int forward(const io::Request& request) override {
    const int taken = BackendDouble::forward(request);
    if (taken == 0) return 0;
    ++counts_.requests;
    counts_.direct += request.mode == io::Mode::direct ? 1 : 0;
    counts_.nowait += request.mode == io::Mode::nowait ? 1 : 0;
    counts_.iovecs += static_cast<std::int64_t>(request.iovecs.size());
    return taken;
  }
  void arrived(io::Completion& completion) override {
    (void)completion;
    ++counts_.completions;
  }

 private:
  Counts& counts_;
};

/// Reads 1..n bytes of the n asked for.
class ShortReadingBackend final : public BackendDouble {
 public:
  ShortReadingBackend(std::unique_ptr<io::Backend> inner, std::uint64_t seed)
      : BackendDouble(std::move(inner)), random_(seed) {}

 protected:
  int forward(const io::Request& request) override {
    std::vector<iovec>& pieces = pieces_[request.tag];
    pieces.assign(request.iovecs.begin(), request.iovecs.end());
    std::int64_t total = 0;
    for (const iovec& piece : pieces) total += static_cast<std::int64_t>(piece.iov_len);
    if (request.mode != io::Mode::direct && total > 1) cut(pieces, pick(random_, 1, total));
    io::Request shorter = request;
    shorter.iovecs = pieces;
    return inner_->submit({&shorter, 1});
  }

 private:
  static void cut(std::vector<iovec>& pieces, std::int64_t keep) {
    std::size_t i = 0;
    for (; keep > 0; ++i) {
      pieces[i].iov_len = std::min(pieces[i].iov_len, static_cast<std::size_t>(keep));
      keep -= static_cast<std::int64_t>(pieces[i].iov_len);
    }
    pieces.resize(i);
  }

  std::mt19937_64 random_;
  std::map<std::uint64_t, std::vector<iovec>> pieces_;
};

/// Answers 30 % of the requests with EINTR.
class InterruptingBackend final : public BackendDouble {
 public:
  InterruptingBackend(std::unique_ptr<io::Backend> inner, std::uint64_t seed)
      : BackendDouble(std::move(inner)), random_(seed) {}

 protected:
  std::optional<std::int64_t> intercept(const io::Request&) override {
    if (pick(random_, 0, 99) >= 30) return std::nullopt;
    return -EINTR;
  }

 private:
  std::mt19937_64 random_;
};

/// Fails call n (from 0), once or from then on. `calls` counts on, so that a test sees whether n was reached.
class FailingBackend final : public BackendDouble {
 public:
  FailingBackend(std::unique_ptr<io::Backend> inner, std::int64_t n, int error, bool for_ever, std::int64_t& calls)
      : BackendDouble(std::move(inner)), n_(n), error_(error), for_ever_(for_ever), calls_(calls) {}

 protected:
  std::optional<std::int64_t> intercept(const io::Request&) override {
    const std::int64_t call = calls_++;
    const bool fails = call == n_ || (for_ever_ && call > n_);
    if (!fails) return std::nullopt;
    return -error_;
  }

 private:
  std::int64_t n_;
  int error_;
  bool for_ever_;
  std::int64_t& calls_;
};

/// Holds completions back while the gate is shut; a fake clock moves on by the time waited.
class GatedBackend final : public BackendDouble {
 public:
  struct Gate {
    bool open = false;
    FakeClock* clock = nullptr;
    std::function<void()> on_wait;  ///< called when something waits at the shut gate
  };
  GatedBackend(std::unique_ptr<io::Backend> inner, Gate& gate) : BackendDouble(std::move(inner)), gate_(gate) {}

  std::span<const io::Completion> wait(int min, const Interrupt& interrupt) override {
    if (gate_.open) return BackendDouble::wait(min, interrupt);
    if (gate_.on_wait) gate_.on_wait();
    if (gate_.clock != nullptr) gate_.clock->advance(interrupt.deadline_s);
    return {};
  }

 private:
  Gate& gate_;
};

/// Each request takes a latency and its bytes at a rate, on a fake clock.
class SlowBackend final : public BackendDouble {
 public:
  SlowBackend(std::unique_ptr<io::Backend> inner, FakeClock& clock, double latency_s, double bytes_per_s)
      : BackendDouble(std::move(inner)), clock_(clock), latency_(latency_s), rate_(bytes_per_s) {}

  std::span<const io::Completion> wait(int min, const Interrupt& interrupt) override {
    collect();
    returned_.clear();
    const double until = clock_.now() + interrupt.deadline_s;
    while (static_cast<int>(returned_.size()) < min && !held_.empty() && held_.front().first <= until) {
      clock_.advance(std::max(0.0, held_.front().first - clock_.now()));
      take_due();
    }
    take_due();
    if (static_cast<int>(returned_.size()) < min) clock_.advance(std::max(0.0, until - clock_.now()));
    return returned_;
  }

 protected:
  int forward(const io::Request& request) override {
    const int taken = BackendDouble::forward(request);
    if (taken == 1) ++out_;
    return taken;
  }

 private:
  void collect() {
    while (out_ > 0) {
      for (const io::Completion& completion : inner_->wait(1, {})) {
        --out_;
        const double bytes = static_cast<double>(std::max<std::int64_t>(completion.result, 0));
        free_at_ = std::max(free_at_, clock_.now()) + bytes / rate_;
        held_.emplace_back(free_at_ + latency_, completion);
      }
    }
  }
  void take_due() {
    while (!held_.empty() && held_.front().first <= clock_.now()) {
      returned_.push_back(held_.front().second);
      held_.pop_front();
    }
  }

  FakeClock& clock_;
  double latency_;
  double rate_;
  double free_at_ = 0;
  std::int64_t out_ = 0;
  std::deque<std::pair<double, io::Completion>> held_;
};

/// Returns completions late and in any order.
class ReorderingBackend final : public BackendDouble {
 public:
  ReorderingBackend(std::unique_ptr<io::Backend> inner, std::uint64_t seed)
      : BackendDouble(std::move(inner)), random_(seed) {}

  std::span<const io::Completion> wait(int min, const Interrupt& interrupt) override {
    for (const io::Completion& completion : inner_->wait(held_.empty() ? min : 0, interrupt))
      held_.push_back(completion);
    std::shuffle(held_.begin(), held_.end(), random_);
    const auto most = static_cast<std::int64_t>(held_.size());
    const auto count = static_cast<std::ptrdiff_t>(pick(random_, std::min<std::int64_t>(most, std::max(min, 0)), most));
    returned_.assign(held_.begin(), held_.begin() + count);
    held_.erase(held_.begin(), held_.begin() + count);
    return returned_;
  }

 private:
  std::mt19937_64 random_;
  std::vector<io::Completion> held_;
};

/// Does something to the world just before call n.
class ChangingBackend final : public BackendDouble {
 public:
  ChangingBackend(std::unique_ptr<io::Backend> inner, std::int64_t n, std::function<void()> change)
      : BackendDouble(std::move(inner)), n_(n), change_(std::move(change)) {}

 protected:
  std::optional<std::int64_t> intercept(const io::Request&) override {
    if (calls_++ == n_) change_();
    return std::nullopt;
  }

 private:
  std::int64_t n_;
  std::int64_t calls_ = 0;
  std::function<void()> change_;
};

}  // namespace loadstone::test
