// stream: the walk of a load, stopping after each batch of rows.
#include <fmt/format.h>
#include <loadstone/load.hpp>

#include <algorithm>
#include <utility>

#include "loader/carrier.hpp"
#include "loader/discover.hpp"
#include "loader/session.hpp"

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
                 .remedy = "Give rows=, and select within each batch",
                 .item = "select"};
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

}  // namespace

struct BatchStream::State {
  State(const Paths& paths, std::int64_t rows, LoadOptions given)
      : options(std::move(given)),
        batch_rows(rows),
        session(self_communicator(), loader::session_options(options), check_arguments(rows, options)),
        dataset(value_or_throw(
            loader::discover(paths, session.with_roots(options.open), options.dtype, session.agreement()))),
        left(value_or_throw(rows_of(dataset, options))) {
    options.split = 0;
  }

  LoadOptions options;
  std::int64_t batch_rows;
  loader::Session session;
  Dataset dataset;
  Interval left;
};

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
  Interval& left = state_->left;
  const std::int64_t end = std::min(left.end, left.begin + state_->batch_rows);
  state_->options.rows = Slice{left.begin, end, 1};
  loader::Carrier carrier(state_->session, state_->dataset, state_->options);
  carrier.plan(1);
  carrier.allocate();
  carrier.read();
  carrier.verify();
  LoadStats stats;
  DistributedArray batch = carrier.publish(self_communicator(), stats);
  batch.stats = stats;
  left.begin = end;
  return batch;
}

}  // namespace loadstone
