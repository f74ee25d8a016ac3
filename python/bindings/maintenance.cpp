// verify, write, clean.
#include "bindings.hpp"
#include "communicator.hpp"
#include "watched.hpp"

#include <loadstone/load.hpp>

namespace loadstone::python {

namespace {

VerifyReport watched_verify(const std::vector<nb::bytes>& raw, VerifyOptions options, const Ranks& ranks,
                            nb::object progress, RunOn where) {
  Watch watch(std::move(progress));
  options.stop = watch.token();
  options.progress = watch.sink();
  Paths paths;
  for (const nb::bytes& path : raw) paths.emplace_back(path.c_str(), path.size());
  VerifyReport report;
  watch.run(where, [&] { report = verify(paths, options, ranks.comm); });
  return report;
}

WriteReport watched_write(const nb::bytes& directory, WriteOptions options, const Ranks& ranks, RunOn where) {
  Watch watch{nb::none()};
  options.stop = watch.token();
  const std::string name(directory.c_str(), directory.size());
  WriteReport report;
  watch.run(where, [&] { report = write(name, options, ranks.comm); });
  return report;
}

nb::list to_paths(const std::vector<std::string>& paths) {
  nb::list list;
  for (const std::string& path : paths) list.append(to_path(path));
  return list;
}

void set_dtype(WriteOptions& options, const std::string& text) {
  const std::optional<DType> dtype = parse_dtype(text);
  if (!dtype) throw nb::value_error("unknown dtype text");
  options.dtype = *dtype;
}

void bind_verify(nb::module_& m) {
  nb::class_<VerifyOptions>(m, "VerifyOptions")
      .def(nb::init<>())
      .def_rw("open", &VerifyOptions::open)
      .def_rw("io", &VerifyOptions::io)
      .def_rw("write_manifest", &VerifyOptions::write_manifest)
      .def_rw("require_manifest", &VerifyOptions::require_manifest)
      .def_rw("structure_only", &VerifyOptions::structure_only)
      .def_rw("budget_bytes", &VerifyOptions::budget_bytes, nb::arg().none())
      .def_rw("deadline_s", &VerifyOptions::deadline_s);
  nb::class_<VerifyReport>(m, "VerifyReport", "What `loadstone.verify` found in order.")
      .def_ro("shards", &VerifyReport::shards)
      .def_ro("shards_verified", &VerifyReport::shards_verified, "Whose content was compared with a manifest.")
      .def_ro("bytes_read", &VerifyReport::bytes_read)
      .def_ro("seconds", &VerifyReport::seconds)
      .def_ro("against_manifest", &VerifyReport::against_manifest)
      .def_prop_ro(
          "manifest_written", [](const VerifyReport& r) { return path_or_none(r.manifest_written); },
          nb::for_getter(nb::sig("def manifest_written(self) -> str | None")))
      .def_ro("generation", &VerifyReport::generation)
      .def_ro("replaced_generation", &VerifyReport::replaced_generation,
              "Of the manifest that was replaced; 0 if there was none that could be read.")
      .def_prop_ro(
          "changed", [](const VerifyReport& r) { return to_paths(r.changed); },
          "Shards whose size or hash the replaced manifest stated otherwise.",
          nb::for_getter(nb::sig("def changed(self) -> list[str]")))
      .def_prop_ro(
          "added", [](const VerifyReport& r) { return to_paths(r.added); },
          "Shards that the replaced manifest did not name.", nb::for_getter(nb::sig("def added(self) -> list[str]")))
      .def_prop_ro(
          "dropped", [](const VerifyReport& r) { return to_paths(r.dropped); },
          "Shards that only the replaced manifest named.", nb::for_getter(nb::sig("def dropped(self) -> list[str]")))
      .def_ro("warnings", &VerifyReport::warnings, nb::rv_policy::copy)
      .def(
          "__repr__",
          [](const VerifyReport& r) {
            nb::str text =
                nb::str("VerifyReport(shards={}, shards_verified={}, bytes_read={}, seconds={:.3f}, warnings={}")
                    .format(r.shards, r.shards_verified, r.bytes_read, r.seconds, r.warnings.size());
            if (r.manifest_written.empty()) return text + nb::str(")");
            return text + nb::str(", manifest_written={!r}, generation={}, changed={}, added={}, dropped={})")
                              .format(to_path(r.manifest_written), r.generation, r.changed.size(), r.added.size(),
                                      r.dropped.size());
          },
          nb::sig("def __repr__(self) -> str"));
  m.def("verify", &watched_verify, "paths"_a, "options"_a, "comm"_a, "progress"_a.none(), "run_on"_a,
        "Compares every shard with the manifest. Collective.");
}

void bind_write(nb::module_& m) {
  nb::class_<WriteOptions>(m, "WriteOptions")
      .def(nb::init<>())
      .def_rw("shape", &WriteOptions::shape)
      .def_rw("shards", &WriteOptions::shards)
      .def_prop_rw(
          "dtype", [](const WriteOptions& o) { return o.dtype.str(); }, &set_dtype)
      .def_rw("seed", &WriteOptions::seed)
      .def_rw("rows", &WriteOptions::rows)
      .def_rw("fill", &WriteOptions::fill)
      .def_rw("format", &WriteOptions::format)
      .def_rw("force", &WriteOptions::force);
  nb::class_<WrittenShard>(m, "WrittenShard", "One shard that `loadstone.write` made.")
      .def_prop_ro("name", [](const WrittenShard& s) { return to_path(s.name); })
      .def_ro("rows", &WrittenShard::rows)
      .def_ro("nbytes", &WrittenShard::nbytes)
      .def_ro("first_row_sum", &WrittenShard::first_row_sum);
  nb::class_<WriteReport>(m, "WriteReport", "What `loadstone.write` made.")
      .def_ro("shards", &WriteReport::shards, nb::rv_policy::copy)
      .def_prop_ro("manifest", [](const WriteReport& r) { return to_path(r.manifest); })
      .def_ro("generation", &WriteReport::generation);
  m.def("write", &watched_write, "directory"_a, "options"_a, "comm"_a, "run_on"_a,
        "Writes a test dataset. Collective.");
}

}  // namespace

void bind_maintenance(nb::module_& m) {
  bind_verify(m);
  bind_write(m);
  nb::class_<CleanReport>(m, "CleanReport", "What `loadstone.clean` removed (or would remove) and what it kept.")
      .def_prop_ro(
          "removed", [](const CleanReport& r) { return to_paths(r.removed); },
          nb::for_getter(nb::sig("def removed(self) -> list[str]")))
      .def_prop_ro(
          "kept",
          [](const CleanReport& r) {
            nb::list kept;
            for (const auto& [name, why] : r.kept) kept.append(nb::make_tuple(to_path(name), to_text(why)));
            return kept;
          },
          "Path and why.", nb::for_getter(nb::sig("def kept(self) -> list[tuple[str, str]]")));
  m.def(
      "clean",
      [](const nb::bytes& directory, bool yes) {
        const std::string name(directory.c_str(), directory.size());
        const Released released;
        return clean(name, yes);
      },
      "directory"_a, "yes"_a, "Removes what a manifest names. Local.");
}

}  // namespace loadstone::python
