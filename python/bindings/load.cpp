// open and load.
#include "bindings.hpp"
#include "communicator.hpp"
#include "watched.hpp"

#include <loadstone/load.hpp>

namespace loadstone::python {

namespace {

using RawPaths = std::vector<nb::bytes>;

Paths paths_of(const RawPaths& raw) {
  Paths paths;
  paths.reserve(raw.size());
  for (const nb::bytes& path : raw) paths.emplace_back(path.c_str(), path.size());
  return paths;
}

/// @param source  what load() takes: paths or a dataset
template <class Source>
DistributedArray watched_load(const Source& source, LoadOptions options, const Ranks& ranks, nb::object progress,
                              RunOn where) {
  Watch watch(std::move(progress));
  options.stop = watch.token();
  options.progress = watch.sink();
  std::optional<DistributedArray> array;
  watch.run(where, [&] { array.emplace(load(source, options, ranks.comm)); });
  return std::move(*array);
}

}  // namespace

void bind_load(nb::module_& m) {
  nb::enum_<RunOn>(m, "RunOn", "Where the work of a long call runs.")
      .value("own_thread", RunOn::own_thread)
      .value("calling_thread", RunOn::calling_thread);
  nb::class_<Progress>(m, "Progress", "What a running load tells.")
      .def_ro("bytes_done", &Progress::bytes_done)
      .def_ro("bytes_wanted", &Progress::bytes_wanted)
      .def_ro("seconds", &Progress::seconds);
  m.def(
      "open",
      [](const RawPaths& raw, const OpenOptions& options, const Ranks& ranks) {
        const Paths paths = paths_of(raw);
        const Released released;
        return open(paths, options, ranks.comm);
      },
      "paths"_a, "options"_a, "comm"_a, "Finds the shards and checks their headers. Collective.");
  m.def(
      "load",
      [](const RawPaths& raw, const LoadOptions& options, const Ranks& ranks, nb::object progress, RunOn where) {
        return watched_load(paths_of(raw), options, ranks, std::move(progress), where);
      },
      "paths"_a, "options"_a, "comm"_a, "progress"_a.none(), "run_on"_a, "Loads. Collective.");
  m.def("load_dataset", &watched_load<Dataset>, "dataset"_a, "options"_a, "comm"_a, "progress"_a.none(), "run_on"_a,
        "Loads a dataset in hand. Collective.");
}

}  // namespace loadstone::python
