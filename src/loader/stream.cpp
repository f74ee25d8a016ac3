// stream: the walk of a load, stopping after each batch of rows. Where the budget has room for it, the next batches are
// read while the caller uses the last.
#include <fmt/format.h>
#include <unistd.h>
#include <loadstone/load.hpp>

#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "core/option_words.hpp"
#include "loader/carrier.hpp"
#include "loader/discover.hpp"
#include "loader/notices.hpp"
#include "loader/read_ahead.hpp"
#include "loader/session.hpp"
#include "loader/stream_plan.hpp"
#include "loader/totals.hpp"

namespace loadstone {
namespace {

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

/// Refused memory as an Error, where no verdict has made it one; what the caller's own progress throws stays what it
/// is.
template <class Step>
auto typed(const Step& step) {
  try {
    return step();
  } catch (const std::bad_alloc&) {
    throw Error(std::move(status_of_current_exception()).take());
  }
}

Fault forked() {
  return {.code = Code::released,
          .kind = "stream.forked",
          .message = "the stream belongs to the process that this one was forked from",
          .remedy = "Make a stream in this process"};
}

Result<plan::SelectedAxis> rows_of(const Dataset& dataset, const LoadOptions& options) {
  if (dataset.ndim() == 0) {
    return Fault{
        .code = Code::bad_argument, .kind = "stream.scalar", .message = "a 0-d array has no rows", .remedy = "Load it"};
  }
  const auto selection = plan::resolve_selection(dataset.shape, options.rows, {});
  if (!selection.ok()) return selection.status().clone();
  return selection->axes.front();
}

}  // namespace

struct BatchStream::State {
  State(const Paths& paths, std::int64_t batch_rows, LoadOptions given)
      : options(std::move(given)),
        progress(std::exchange(options.progress, {})),
        on_stop(std::exchange(options.stop, stop.get_token()), [this] { stop.request_stop(); }),
        session(self_communicator(), loader::session_options(options), check_arguments(batch_rows, options)),
        dataset(value_or_throw(
            loader::discover(paths, session.with_roots(options.open), options.dtype, session.agreement()))),
        cuts{value_or_throw(rows_of(dataset, options)), batch_rows} {
    options.split = 0;
    auto plan = loader::plan_stream(dataset, options, cuts, session.settings());
    if (!plan || !session.set_aside(plan->ahead * plan->batch_bytes, Use::batches)) return;
    read_ahead = std::make_unique<loader::ReadAhead>(session, dataset, options, cuts, std::move(*plan));
  }
  ~State() { stop.request_stop(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  DistributedArray load_batch();

  const pid_t process = getpid();
  std::stop_source stop;
  LoadOptions options;  // without the caller's progress, which is told on the caller's thread only
  std::function<void(const Progress&)> progress;
  std::stop_callback<std::function<void()>> on_stop;
  loader::Session session;
  Dataset dataset;
  loader::BatchCuts cuts;
  std::int64_t taken = 0;
  std::unique_ptr<loader::ReadAhead> read_ahead;  // destroyed first: its thread uses the rest
};

/// One batch on the caller's thread, where the budget has no room for more.
DistributedArray BatchStream::State::load_batch() {
  LoadOptions batch_options = loader::options_of_rows(options, cuts.batch(taken));
  batch_options.progress = progress;
  loader::Carrier carrier(session, dataset, batch_options);
  carrier.plan(1);
  carrier.allocate();
  carrier.read();
  carrier.verify();
  return carrier.publish(self_communicator());
}

BatchStream::BatchStream(const Paths& paths, std::int64_t batch_rows, LoadOptions options)
    : state_(typed([&] { return std::make_unique<State>(paths, batch_rows, std::move(options)); })) {}
BatchStream::BatchStream(BatchStream&&) noexcept = default;
BatchStream& BatchStream::operator=(BatchStream&& other) noexcept {
  close();
  state_ = std::move(other.state_);
  stats_ = std::move(other.stats_);
  return *this;
}
BatchStream::~BatchStream() { close(); }

void BatchStream::close() noexcept {
  // The threads of a forked process's parent are not there to be waited for; what they used stays as it is.
  if (state_ != nullptr && state_->process != getpid()) static_cast<void>(state_.release());
  state_.reset();
}

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
  if (state_ == nullptr || state_->taken == state_->cuts.count()) return std::nullopt;
  if (state_->process != getpid()) throw_if_failed(forked());
  DistributedArray batch =
      typed([&] { return state_->read_ahead ? state_->read_ahead->next(state_->progress) : state_->load_batch(); });
  ++state_->taken;
  patiently([&] { stats_ = loader::sum(stats_, batch.stats); });
  loader::announce(batch.stats.fallbacks, state_->options.log);
  return batch;
}

}  // namespace loadstone
