// One line on a terminal that says how far a load is; erased at the end.
#pragma once

#include <loadstone/options.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace loadstone::cli {

using ProgressCallback = std::function<void(const Progress&)>;

/// "42 %  1.2 GiB of 3.0 GiB  1.1 GB/s  2 s left"
std::string progress_text(const Progress& progress);

/// Thread-safe: ranks that are threads report each for itself and are shown together.
class ProgressLine : public std::enable_shared_from_this<ProgressLine> {
 public:
  /// @param stream  a terminal; not owned
  ProgressLine(std::FILE* stream, int ranks);
  ~ProgressLine();  ///< erases the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// What a rank calls. Keeps the line alive.
  ProgressCallback callback(int rank);
  void erase();

 private:
  void update(int rank, const Progress& progress);

  std::FILE* stream_;
  std::mutex mutex_;
  std::vector<Progress> ranks_;
  double last_shown_s_ = -1;
  bool visible_ = false;
};

/// A line on standard error if it is a terminal and `quiet` does not forbid it; else null.
std::shared_ptr<ProgressLine> make_progress_line(bool quiet, int ranks);

}  // namespace loadstone::cli
