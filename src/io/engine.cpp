#include "io/engine.hpp"

#include "io/faults.hpp"
#include "io/run.hpp"

#include <algorithm>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loadstone::io {
namespace {

// Large requests fill a device at 32 in flight; small ones gain up to 64.
constexpr std::int64_t kDefaultQueue = 64;
constexpr std::int64_t kMaxThreads = 16;
// Requests that have been waited for in vain get this long again when the engine goes.
constexpr double kLastCallSeconds = 0.2;

/// Names the run under way as long as it is, whatever its source throws.
class UnderWay {
 public:
  UnderWay(Run*& name, Run& run) : name_(name) { name_ = &run; }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay() { name_ = nullptr; }

 private:
  Run*& name_;
};

int copy_threads(const EngineSettings& settings) {
  if (settings.threads > 0) return static_cast<int>(settings.threads);
  const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  return static_cast<int>(std::clamp<std::int64_t>(cores / std::max(1, settings.ranks_on_node), 1, kMaxThreads));
}

std::vector<std::string> paths_of(std::span<const InputFile> files) {
  std::vector<std::string> paths;
  for (const InputFile& file : files) paths.push_back(file.name.path());
  return paths;
}

class StandardEngine final : public Engine {
 public:
  StandardEngine(EngineSettings settings, const Opener& opener, Ledger& ledger, FsGate gate,
                 std::unique_ptr<Backend> backend, std::string backend_name, bool is_forced, SlabShelf* shelf)
      : is_forced_(is_forced),
        settings_(std::move(settings)),
        opener_(opener),
        ledger_(ledger),
        own_shelf_(ledger, nullptr),
        shelf_(shelf != nullptr ? *shelf : own_shelf_),
        gate_(std::move(gate)),
        backend_name_(std::move(backend_name)),
        backend_(std::move(backend)),
        memory_(std::make_unique<InFlightMemory>()),
        chooser_(WayRules::from(settings_), counters_),
        copiers_(ledger, copy_threads(settings_)) {
    shelf_.serve(backend_.get());
    if (!is_forced_ && backend_name_ != "uring") tell_ring_refused();
  }

  StandardEngine(const StandardEngine&) = delete;
  StandardEngine& operator=(const StandardEngine&) = delete;
  ~StandardEngine() override {
    Interrupt interrupt;
    interrupt.deadline_s = lost_requests_ ? kLastCallSeconds : 1;
    const bool all_home = backend_->close(interrupt).empty();
    // What the kernel may still write to is never given back, to the system or to the budget.
    if (!all_home) keep_for_ever(std::move(memory_));
    memory_.reset();
    shelf_.serve(nullptr);
  }

  Status run(std::span<const InputFile> files, ReadSource& source, const Interrupt& interrupt) override {
    if (lost_requests_) {
      return make_fault(Code::io, "io.engine", "", "reads of an earlier load never came back from the kernel",
                        "Check the storage and start the program again");
    }
    if (settings_.file_stats) counters_.count_files(paths_of(files));
    Run run(
        {settings_, opener_, ledger_, shelf_, *backend_, backend_name_, gate_, chooser_, copiers_, prefaulter_,
         copy_trial_, network_trials_, *memory_, counters_, descriptor_pool_size(settings_.open_files), !is_forced_},
        files, source, interrupt);
    const UnderWay under_way(run_, run);
    Status status = run.carry_out();
    lost_requests_ = run.has_lost_requests();
    if (!lost_requests_) trim();
    return status;
  }

  Status check_file(std::int64_t file) override { return run_ == nullptr ? Status() : run_->check_file(file); }

  LoadStats take_stats() override {
    counters_.seconds_faulting = prefaulter_.take_seconds();
    LoadStats stats = counters_.stats(backend_name_);
    counters_.clear();
    return stats;
  }

  [[nodiscard]] const std::string& backend_name() const override { return backend_name_; }
  [[nodiscard]] bool has_lost_requests() const override { return lost_requests_; }

 private:
  void tell_ring_refused() {
    if (const std::string why = why_no_ring(); !why.empty()) ++counters_.fallbacks["io_uring is not used: " + why];
  }

  /// Between runs the budget is the caller's.
  void trim() {
    if (memory_->edges) memory_->edges->trim();
    if (memory_->blocks) memory_->blocks->trim();
  }

  const bool is_forced_;  // the backend was asked for by name: all plain reads are its
  EngineSettings settings_;
  const Opener& opener_;
  Ledger& ledger_;
  SlabShelf own_shelf_;
  SlabShelf& shelf_;
  FsGate gate_;
  std::string backend_name_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<InFlightMemory> memory_;
  Counters counters_;
  WayChooser chooser_;
  Copiers copiers_;
  Prefaulter prefaulter_;
  // Seen on three processors: a mapped copy at 1.8, 1.2 and 0.6 times the rate of a plain read. Six copies of 8 MiB
  // tell.
  WayTrial copy_trial_{Way::buffered, Way::mapped, 3, 1.0, Judged::by_best};
  std::unordered_map<std::uint64_t, WayTrial> network_trials_;
  Run* run_ = nullptr;  // under way
  bool lost_requests_ = false;
};

}  // namespace

void keep_for_ever(std::shared_ptr<void> memory) {
  static std::mutex mutex;
  // Never destroyed: at exit the kernel may still write.
  static auto* const kept = std::make_unique<std::vector<std::shared_ptr<void>>>().release();
  const std::scoped_lock lock(mutex);
  kept->push_back(std::move(memory));
}

Result<std::unique_ptr<Engine>> Engine::make(EngineSettings settings, const Opener& opener, Ledger& ledger,
                                             std::unique_ptr<Backend> backend, SlabShelf* shelf) {
  Result<FsGate> gate = FsGate::parse(settings.fs_class);
  if (!gate.ok()) return std::move(gate).status();
  std::string name = settings.backend;
  const bool is_forced = backend != nullptr || settings.backend != "auto";
  if (backend == nullptr) {
    const std::int64_t queue = std::max(kDefaultQueue, settings.depth);
    Result<std::unique_ptr<Backend>> made = make_backend(settings.backend, static_cast<int>(queue), &name);
    if (!made.ok()) return std::move(made).status();
    backend = std::move(*made);
  }
  return std::unique_ptr<Engine>(std::make_unique<StandardEngine>(
      std::move(settings), opener, ledger, std::move(*gate), std::move(backend), std::move(name), is_forced, shelf));
}

}  // namespace loadstone::io
