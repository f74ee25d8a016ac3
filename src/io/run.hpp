// One run of the engine: cuts reads into requests, keeps the queue full, and brings every completion home.
//
//   source --pull--> ReadQueue --cut--> Op --submit--> backend --complete--> credit --> source.done
//                                        \--copy----> Copiers --/
#pragma once

#include "io/copiers.hpp"
#include "io/depth_ramp.hpp"
#include "io/descriptor_pool.hpp"
#include "io/engine.hpp"
#include "io/faults.hpp"
#include "io/prefault.hpp"
#include "io/read_queue.hpp"
#include "io/staging.hpp"
#include "io/way_chooser.hpp"
#include "io/way_trial.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loadstone::io {

/// A request on its way, and what it is for.
struct Op {
  OpenFile* file = nullptr;
  std::uint64_t first_read = 0;     ///< sequence number of the read that holds `offset`
  std::int64_t offset = 0;          ///< wanted range of the file
  std::int64_t bytes = 0;           ///< those of small gaps in it included
  std::int64_t arrived = 0;         ///< of the wanted range, in place
  std::int64_t queued_bytes = 0;    ///< what it takes of the depth
  std::vector<iovec> destinations;  ///< those of the bytes that are still missing start at `first_destination`
  std::size_t first_destination = 0;
  std::vector<std::byte> gap;  ///< where bytes of gaps go, all to the same place
  Way way = Way::buffered;
  Mode mode = Mode::buffered;
  bool cold = false;          ///< the window was not resident
  bool resident = false;      ///< a read of resident pages by the backend
  bool handed_back = false;   ///< the backend had no thread for it
  WayTrial* trial = nullptr;  ///< its time decides how others are read
  StagingLease block;         ///< direct reads that cannot land in place land here, rounded outward
  iovec block_piece{};
  std::int64_t block_offset = 0;  ///< of the block's first byte in the file
  std::int64_t block_filled = 0;  ///< of the block: `block_piece` is behind it
  int tries = 1;
  int pauses = 0;
  int interruptions = 0;
  double not_before = 0;
  double started = 0;  ///< if on trial, or if files are counted

  /// Where the next request starts: at the first byte that is missing, or further down for alignment.
  [[nodiscard]] std::int64_t next_offset() const noexcept;
  /// Moves the start of what is missing forward.
  void advance(std::int64_t count);
};

/// Memory that outlives a run that left requests in the kernel: nothing in it may be reused then.
struct InFlightMemory {
  std::unique_ptr<StagingPool> edges;   ///< blocks for unaligned heads, tails and short runs
  std::unique_ptr<StagingPool> blocks;  ///< blocks of a whole request, for destinations that are not aligned
  std::vector<Descriptor> descriptors;  ///< that lost requests read from: their numbers must not name other files
  std::vector<Op> ops;                  ///< go first: their blocks come home to the pools
};

/// What an engine lends to its runs.
struct RunTools {
  const EngineSettings& settings;
  const Opener& opener;
  Ledger& ledger;
  SlabShelf& shelf;
  Backend& backend;
  const std::string& backend_name;
  const FsGate& gate;
  WayChooser& chooser;
  Copiers& copiers;
  Prefaulter& prefaulter;
  WayTrial& copy_trial;                                         ///< of resident pages to present destinations
  std::unordered_map<std::uint64_t, WayTrial>& network_trials;  ///< by device
  InFlightMemory& memory;
  Counters& counters;
  std::int64_t descriptors = 0;
  bool threads_read = true;  ///< long runs of resident pages are read by the copying threads, not by the backend
};

class Run {
 public:
  Run(const RunTools& tools, std::span<const InputFile> files, ReadSource& source, const Interrupt& interrupt);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Status carry_out();
  [[nodiscard]] Status check_file(std::int64_t file) const { return pool_.check_if_open(file); }
  /// Requests that the kernel never gave back: the engine must not be used again.
  [[nodiscard]] bool has_lost_requests() const noexcept { return lost_requests_; }

 private:
  enum class Cut : std::uint8_t { done, stalled, failed };
  using OpIndex = std::uint32_t;

  // run.cpp: the loop
  void loop();
  void submit_ready();
  void count_submitted(int taken);
  void wake_sleepers();
  void await();
  double longest_wait() const;
  void take_home();
  void take_copied();
  void poll_if_due();
  void check_deadline();
  void drain();
  void give_up_on_requests();
  void fail(Status status);
  [[nodiscard]] bool failed() const noexcept { return !status_.ok(); }
  [[nodiscard]] bool nothing_on_its_way() const noexcept { return live_ == 0; }

  // run_issue.cpp: from reads to requests
  void pull();
  bool accept(const Read& read);
  void issue();
  Cut issue_next();
  Cut issue_buffered(OpenFile& file, std::int64_t most, bool cold);
  Cut issue_asking(OpenFile& file, std::int64_t most);
  Cut issue_cold(OpenFile& file, const Stretch& stretch, std::int64_t offset);
  Cut issue_read_ahead(OpenFile& file, std::int64_t most);
  [[nodiscard]] WayTrial* network_trial(const OpenFile& file);
  OpIndex new_op(OpenFile& file, const Range& range, Way way, Mode mode);
  void prefault_ahead();

  // run_direct.cpp: direct reads
  enum class Ready : std::uint8_t { yes, no, later };
  /// Whether the file can be read directly: opens it for that, remembers and counts a refusal. `later`: when something
  /// has come home.
  Result<Ready> ready_for_direct(OpenFile& file);
  [[nodiscard]] bool direct_is_required() const noexcept;
  Status on_direct_refused(const OpenFile& file, int error);
  Status fall_back(const OpenFile& file, std::string_view what, std::string_view reason, int error = 0);
  Cut issue_direct(OpenFile& file, std::int64_t most);
  Cut issue_short_run(OpenFile& file, std::int64_t most);
  [[nodiscard]] std::int64_t seam_bytes(const OpenFile& file);
  Cut issue_into_block(OpenFile& file, std::int64_t most, bool edge);
  Cut fail_without_block(const OpenFile& file, bool edge);
  Cut issue_buffered_instead(OpenFile& file, std::int64_t most, std::string_view reason);
  std::optional<StagingLease> lease_block(const OpenFile& file, bool edge, bool* exhausted);
  static void land_in_block(Op& op, StagingLease block);
  bool make_direct(Op& op);
  void on_direct_bytes(OpIndex index, std::int64_t bytes);
  void on_direct_stuck(OpIndex index);

  // run_resident.cpp: resident pages
  Cut issue_resident(OpenFile& file, const Stretch& stretch, std::int64_t offset);
  std::optional<Cut> pick_short_runs(OpenFile& file, std::int64_t wanted);
  Cut issue_to_present(OpenFile& file, Range range, std::int64_t mappable);
  Cut issue_resident_read(OpenFile& file, std::int64_t wanted);
  Cut issue_copy(OpenFile& file, const Range& range, Way way, WayTrial* trial);
  [[nodiscard]] Range resident_range(Range range) noexcept;
  [[nodiscard]] std::span<const std::byte> target_of(const Range& range) noexcept;
  [[nodiscard]] std::int64_t mappable_bytes(const OpenFile& file, std::int64_t wanted) const;
  [[nodiscard]] bool is_present(const Range& range) noexcept;

  void settle_depth(const OpenFile& file);
  [[nodiscard]] bool may_issue() const noexcept;

  // run_complete.cpp: from completions to done reads
  void complete(const Completion& completion);
  void note_late_error(OpIndex index, std::int64_t result);
  void on_bytes(OpIndex index, std::int64_t bytes);
  void land_from_block(OpIndex index);
  void on_answer(OpIndex index, std::int64_t result);
  void on_copied(const Copiers::Done& done);
  void on_end_of_file(OpIndex index);
  void on_error(OpIndex index, int error);
  void try_again_later(OpIndex index);
  void read_here(OpIndex index);
  [[nodiscard]] CopyJob job_of(OpIndex index) const;
  void reopen(OpIndex index);
  void become_buffered(Op& op, const char* why);
  void finish_op(OpIndex index);
  void credit(std::uint64_t first_read, std::int64_t from, std::int64_t to, bool through_block);
  void release_op(OpIndex index);
  ReadContext context_of(const Op& op) const;
  void count_landed(const Read& read, std::int64_t bytes, bool through_block);
  void spare_page_cache(const Op& op) const;

  RunTools tools_;
  std::span<const InputFile> files_;
  ReadSource& source_;
  const Interrupt& interrupt_;
  Counters& counters_;
  ReadQueue queue_;
  DescriptorPool pool_;
  Status status_;
  std::set<std::pair<std::int64_t, std::string>> fallen_back_;  // files, and why

  std::vector<Op>& ops_;
  std::vector<OpIndex> free_;
  std::vector<OpIndex> ready_;     // to be submitted, in order
  std::vector<OpIndex> sleeping_;  // until a pause is over
  std::vector<Request> batch_;
  std::span<const Completion> home_;   // came back, not looked at yet
  std::vector<Copiers::Done> copied_;  // likewise
  std::int64_t live_ = 0;              // ops that are not free
  std::int64_t live_bytes_ = 0;
  std::int64_t in_backend_ = 0;
  std::int64_t in_copiers_ = 0;
  struct {
    std::int64_t file = -1;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool is_there = false;
  } present_;                        // what was last found of destinations' pages
  std::int64_t resident_bytes_ = 0;  // of resident pages that are being read
  bool asking_ = false;              // a nowait request is out: its answer decides how to go on
  bool ended_ = false;
  bool later_ = false;
  bool lost_requests_ = false;
  bool uncached_refused_ = false;  // the kernel knows no RWF_DONTCACHE

  std::int64_t request_bytes_ = 0;
  DepthRamp ramp_;
  std::int64_t fewer_ = 0;        // ENOMEM: a lower cap; 0: none
  std::int64_t device_ = -1;      // whose depth is settled
  std::uint64_t prefaulted_ = 0;  // sequence number up to which destinations are being populated
  double waited_ = 0;             // seconds without a byte
  double polled_ = 0;
};

}  // namespace loadstone::io
