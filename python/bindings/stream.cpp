// Batches of rows.
#include "bindings.hpp"
#include "watched.hpp"

#include <loadstone/load.hpp>

namespace loadstone::python {

namespace {

/// A stream and the watch that its options point to. Destroyed with the interpreter lock held, in this order.
class Batches {
 public:
  Batches(const std::vector<nb::bytes>& paths, std::int64_t batch_rows, LoadOptions options, nb::object progress)
      : watch_(std::move(progress)) {
    options.stop = watch_.token();
    options.progress = watch_.sink();
    Paths names;
    for (const nb::bytes& path : paths) names.emplace_back(path.c_str(), path.size());
    watch_.run(RunOn::own_thread, [&] { stream_.emplace(names, batch_rows, std::move(options)); });
  }

  std::optional<DistributedArray> next() {
    std::optional<DistributedArray> batch;
    watch_.run(RunOn::own_thread, [&] { batch = stream_->next(); });
    return batch;
  }

  void close() { stream_->close(); }
  [[nodiscard]] const Dataset& dataset() const { return stream_->dataset(); }
  [[nodiscard]] const LoadStats& stats() const { return stream_->stats(); }

 private:
  Watch watch_;
  std::optional<BatchStream> stream_;
};

}  // namespace

void bind_stream(nb::module_& m) {
  nb::class_<Batches>(m, "BatchStream", "The rows of a dataset in batches, in order. Local.")
      .def(nb::init<const std::vector<nb::bytes>&, std::int64_t, LoadOptions, nb::object>(), "paths"_a, "batch_rows"_a,
           "options"_a, "progress"_a.none())
      .def("next", &Batches::next, "The next batch; None at the end or after close().")
      .def("close", &Batches::close, Unlocked(), "Ends early: no thread, descriptor or buffer is left.")
      .def_prop_ro("dataset", &Batches::dataset, nb::rv_policy::copy)
      .def_prop_ro("stats", &Batches::stats, nb::rv_policy::copy);
}

}  // namespace loadstone::python
