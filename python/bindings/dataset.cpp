// Datasets and their shards, as `loadstone inspect` prints them.
#include "bindings.hpp"

#include <loadstone/dataset.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace loadstone::python {

namespace {

/// A shard as Python holds it: with its file, which outlives the dataset.
struct ShardOfFile {
  Shard shard;
  std::shared_ptr<const DataFile> file;
};

std::vector<ShardOfFile> shards_of(const Dataset& d) {
  std::vector<std::shared_ptr<const DataFile>> files;
  files.reserve(d.files.size());
  for (const DataFile& file : d.files) files.push_back(std::make_shared<const DataFile>(file));
  std::vector<ShardOfFile> shards;
  shards.reserve(d.shards.size());
  for (const Shard& shard : d.shards) shards.push_back({shard, files[static_cast<std::size_t>(shard.file)]});
  return shards;
}

void bind_shard(nb::module_& m) {
  nb::class_<ShardOfFile>(m, "Shard", "One input file (or a range of it) that holds one box of the global array.")
      .def_prop_ro(
          "path", [](const ShardOfFile& s) { return to_path(s.file->path); }, "As it can be opened from here.")
      .def_prop_ro(
          "name", [](const ShardOfFile& s) { return to_path(s.file->name); }, "Relative to its root.")
      .def_prop_ro(
          "rows", [](const ShardOfFile& s) { return s.shard.rows; }, "Extent along the stack axis.")
      .def_prop_ro(
          "data_offset", [](const ShardOfFile& s) { return s.shard.data_offset; }, "First byte of the payload.")
      .def_prop_ro(
          "nbytes", [](const ShardOfFile& s) { return s.shard.nbytes; }, "Of the payload.")
      .def_prop_ro(
          "order", [](const ShardOfFile& s) { return s.shard.order == StorageOrder::c ? "C" : "F"; },
          "Memory order of the stored elements: \"C\" or \"F\".")
      .def_prop_ro(
          "dtype", [](const ShardOfFile& s) { return numpy_dtype(s.shard.dtype); }, "As stored.",
          nb::for_getter(nb::sig("def dtype(self) -> numpy.dtype[typing.Any]")))
      .def(
          "__repr__",
          [](const ShardOfFile& s) {
            return nb::str("<loadstone.Shard {!r}: {} rows>").format(to_path(s.file->path), s.shard.rows);
          },
          nb::sig("def __repr__(self) -> str"));
}

nb::str repr_of(const Dataset& d) {
  return nb::str("<loadstone.Dataset {} {}: {} shards, shape {}, dtype {}>")
      .format(to_text(d.format), to_text(d.pattern), d.shards.size(), nb::tuple(nb::cast(d.shape)), d.dtype.name());
}

}  // namespace

void bind_dataset(nb::module_& m) {
  bind_shard(m);
  nb::class_<Dataset>(m, "Dataset", "All shards as one logical array, as found by `loadstone.open`.")
      .def_prop_ro(
          "format", [](const Dataset& d) { return to_text(d.format); }, "\"npy\", \"raw\".")
      .def_prop_ro(
          "pattern", [](const Dataset& d) { return to_text(d.pattern); }, "Such as \"shard_{:04}.npy\".")
      .def_prop_ro(
          "shape", [](const Dataset& d) { return nb::tuple(nb::cast(d.shape)); }, "Of the whole array.",
          nb::for_getter(nb::sig("def shape(self) -> tuple[int, ...]")))
      .def_prop_ro("ndim", &Dataset::ndim, "Number of axes.")
      .def_prop_ro("rows", &Dataset::rows, "Extent along the stack axis.")
      .def_prop_ro(
          "dtype", [](const Dataset& d) { return numpy_dtype(d.dtype); }, "In this machine's byte order.",
          nb::for_getter(nb::sig("def dtype(self) -> numpy.dtype[typing.Any]")))
      .def_prop_ro(
          "proof", [](const Dataset& d) { return to_text(to_string(d.proof)); },
          "What shows that the dataset is complete: \"none\", \"names\", \"counts\", \"manifest\".")
      .def_ro("row_index", &Dataset::row_index, "First row of each shard, and the number of all rows.")
      .def_prop_ro(
          "digest", [](const Dataset& d) { return to_text(d.digest); }, "xxh3-128 over all of this.")
      .def_prop_ro("shards", &shards_of, "In order along the stack axis.")
      .def_ro("warnings", &Dataset::warnings, nb::rv_policy::copy, "What is worth saying, but no fault.")
      .def_prop_ro(
          "manifest_path", [](const Dataset& d) { return path_or_none(d.manifest_path); },
          "The manifest that decided, if there is one.",
          nb::for_getter(nb::sig("def manifest_path(self) -> str | None")))
      .def("__repr__", &repr_of, nb::sig("def __repr__(self) -> str"));
}

}  // namespace loadstone::python
