// stream: the walk of a load, stopping after each batch of rows. The next batch is read while the caller uses the last,
// where the budget has room for it.
#include <fmt/format.h>
#include <loadstone/load.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <utility>

#include "core/checked.hpp"
#include "core/option_words.hpp"
#include "loader/batch_memory.hpp"
#include "loader/carrier.hpp"
#include "loader/discover.hpp"
#include "loader/progress_mail.hpp"
#include "loader/session.hpp"

namespace loadstone {
namespace {

constexpr std::chrono::milliseconds kProgressEvery{50};
// While the caller uses one batch, one is read, and the memory of the one before waits to be used again.
constexpr std::int64_t kBatchesAhead = 2;

Status check_arguments(std::int64_t batch_rows, const LoadOptions& options) {
  if (batch_rows < 1) {
    return Fault{.code = Code::bad_argument,
                 .kind = "stream.batch_rows",
                 .message = fmt::format("a batch of {} rows", batch_rows),
                 .remedy = "Give batch_rows of 1 or more",
                 .item = "batch_rows",
                 .got = batch_rows};
  }
  if (!options.select.empty()) {
    return Fault{.code = Code::bad_argument,
                 .kind = "stream.select",
                 .message = "batches are cut from rows, a selection is not",
                 .remedy = "Give " + named(Option::rows) + ", and select within each batch",
                 .item = "select"};
  }
  if (options.out) {
    return Fault{.code = Code::bad_argument,
                 .kind = "stream.out",
                 .message = "each batch owns its memory; a stream loads into none that is given",
                 .remedy = "Leave out away: the memory of batches that were dropped is used again",
                 .item = "out"};
  }
  return {};
}

Result<Interval> rows_of(const Dataset& dataset, const LoadOptions& options) {
  if (dataset.ndim() == 0) {
    return Fault{
        .code = Code::bad_argument, .kind = "stream.scalar", .message = "a 0-d array has no rows", .remedy = "Load it"};
  }
  const auto selection = plan::resolve_selection(dataset.shape, options.rows, {});
  if (!selection.ok()) return selection.status().clone();
  const plan::SelectedAxis& axis = selection->axes.front();
  return Interval{axis.start, axis.start + axis.count};
}

/// Bytes of the batches that can be read ahead within the budget, beside what loading one takes; 0: none.
std::int64_t bytes_ahead(const Dataset& dataset, LoadOptions options, Interval rows, std::int64_t batch_rows,
                         loader::Settings settings) {
  options.rows = Slice{rows.begin, rows.begin + batch_rows, 1};
  const auto problem = loader::make_problem(dataset, options, 1, settings);
  if (!problem.ok()) return 0;
  const auto elements = checked_multiply(elements_of(problem->target.box(0)), kBatchesAhead);
  const auto ahead = elements ? checked_multiply(*elements, problem->result_dtype.itemsize) : std::nullopt;
  if (!ahead || *ahead > settings.budget_bytes) return 0;
  // What is left must do for every batch, and some shards take more than others.
  options.rows = Slice{rows.begin, rows.end, 1};
  settings.budget_bytes -= *ahead;
  const auto rest = loader::make_problem(dataset, options, 1, settings);
  return rest.ok() && plan::fit_budget(*rest).ok() ? *ahead : 0;
}

}  // namespace

struct BatchStream::State {
  State(const Paths& paths, std::int64_t rows, LoadOptions given)
      : options(std::move(given)),
        progress(std::exchange(options.progress, {})),
        on_stop(std::exchange(options.stop, stop.get_token()), [this] { stop.request_stop(); }),
        batch_rows(rows),
        session(self_communicator(), loader::session_options(options), check_arguments(rows, options)),
        dataset(value_or_throw(
            loader::discover(paths, session.with_roots(options.open), options.dtype, session.agreement()))),
        left(value_or_throw(rows_of(dataset, options))) {
    options.split = 0;
    if (left.size() <= batch_rows) return;
    const std::int64_t ahead = bytes_ahead(dataset, options, left, batch_rows, session.settings());
    reads_ahead = ahead > 0 && session.set_aside(ahead, Use::batches);
  }
  ~State() { stop.request_stop(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] Interval first_batch() const { return {left.begin, std::min(left.end, left.begin + batch_rows)}; }
  DistributedArray load_rows(Interval rows, const std::function<void(const Progress&)>& report);
  void start_next();
  DistributedArray wait_for_coming();

  std::stop_source stop;  // of the batch that is being read ahead
  LoadOptions options;    // without the caller's progress, which is told on the caller's thread only
  std::function<void(const Progress&)> progress;
  std::stop_callback<std::function<void()>> on_stop;
  std::int64_t batch_rows;
  loader::Session session;  // used by one load at a time
  Dataset dataset;
  Interval left;
  bool reads_ahead = false;
  loader::BatchMemory memory;
  loader::ProgressMail mail;
  std::future<DistributedArray> coming;  // destroyed first: waits for its thread
};

DistributedArray BatchStream::State::load_rows(Interval rows, const std::function<void(const Progress&)>& report) {
  LoadOptions batch_options = options;
  batch_options.rows = Slice{rows.begin, rows.end, 1};
  batch_options.progress = report;
  loader::Carrier carrier(session, dataset, batch_options);
  carrier.plan(1);
  if (reads_ahead) batch_options.out = memory.take(carrier.tile_bytes());
  carrier.allocate();
  carrier.read();
  carrier.verify();
  LoadStats stats;
  DistributedArray batch = carrier.publish(self_communicator(), stats);
  batch.stats = stats;
  if (reads_ahead && !batch_options.out) memory.add(batch.memory());
  return batch;
}

void BatchStream::State::start_next() {
  const Interval rows = first_batch();
  coming = std::async(std::launch::async,
                      [this, rows] { return load_rows(rows, [this](const Progress& told) { mail.put(told); }); });
}

/// The batch that is being read ahead; its failure is thrown here.
DistributedArray BatchStream::State::wait_for_coming() {
  const auto tell = [&] {
    const std::optional<Progress> told = mail.take();
    if (told && progress) progress(*told);
  };
  while (coming.wait_for(kProgressEvery) != std::future_status::ready) tell();
  tell();
  return coming.get();
}

BatchStream::BatchStream(const Paths& paths, std::int64_t batch_rows, LoadOptions options)
    : state_(std::make_unique<State>(paths, batch_rows, std::move(options))) {}
BatchStream::BatchStream(BatchStream&&) noexcept = default;
BatchStream& BatchStream::operator=(BatchStream&&) noexcept = default;
BatchStream::~BatchStream() = default;

void BatchStream::close() noexcept { state_.reset(); }

const Dataset& BatchStream::dataset() const {
  if (state_ == nullptr) {
    throw_if_failed(Fault{.code = Code::released,
                          .kind = "stream.closed",
                          .message = "the stream is closed",
                          .remedy = "Ask before close()"});
  }
  return state_->dataset;
}

std::optional<DistributedArray> BatchStream::next() {
  if (state_ == nullptr || state_->left.empty()) return std::nullopt;
  State& state = *state_;
  DistributedArray batch =
      state.coming.valid() ? state.wait_for_coming() : state.load_rows(state.first_batch(), state.progress);
  state.left.begin = state.first_batch().end;
  if (state.reads_ahead && !state.left.empty()) state.start_next();
  return batch;
}

}  // namespace loadstone
