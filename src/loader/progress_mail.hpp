// Progress of a load on another thread, for whoever waits for it.
#pragma once

#include <loadstone/options.hpp>

#include <mutex>
#include <optional>
#include <utility>

namespace loadstone::loader {

/// Thread-safe; keeps the newest.
class ProgressMail {
 public:
  void put(const Progress& progress) {
    const std::scoped_lock lock(mutex_);
    newest_ = progress;
  }
  [[nodiscard]] std::optional<Progress> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(newest_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<Progress> newest_;
};

}  // namespace loadstone::loader
