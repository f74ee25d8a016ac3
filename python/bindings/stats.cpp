// What a load did.
#include "bindings.hpp"
#include "communicator.hpp"

#include <loadstone/load.hpp>
#include <loadstone/stats.hpp>

namespace loadstone::python {

namespace {

nb::dict fields_of(const FileStats& f) {
  nb::dict fields;
  fields["path"] = to_path(f.path);
  fields["bytes_read"] = f.bytes_read;
  fields["bytes_buffered"] = f.bytes_buffered;
  fields["bytes_direct"] = f.bytes_direct;
  fields["bytes_mapped"] = f.bytes_mapped;
  fields["bytes_in_place"] = f.bytes_in_place;
  fields["bytes_staged"] = f.bytes_staged;
  fields["requests"] = f.requests;
  fields["short_reads"] = f.short_reads;
  fields["retries"] = f.retries;
  fields["opens"] = f.opens;
  fields["slowest_seconds"] = f.slowest_seconds;
  fields["fallbacks"] = f.fallbacks;
  return fields;
}

nb::dict fields_of(const LoadStats& s) {
  nb::dict fields;
  fields["bytes_wanted"] = s.bytes_wanted;
  fields["bytes_read"] = s.bytes_read;
  fields["bytes_in_place"] = s.bytes_in_place;
  fields["bytes_staged"] = s.bytes_staged;
  fields["bytes_by_way"] = s.bytes_by_way;
  fields["seconds_by_step"] = s.seconds_by_step;
  fields["windows"] = s.windows;
  fields["requests"] = s.requests;
  fields["depth"] = s.depth;
  fields["short_reads"] = s.short_reads;
  fields["retries"] = s.retries;
  fields["fallbacks"] = s.fallbacks;
  fields["opens"] = s.opens;
  fields["unverified_bytes"] = s.unverified_bytes;
  fields["budget_bytes"] = s.budget_bytes;
  fields["peak_bytes"] = s.peak_bytes;
  fields["peak_by_use"] = s.peak_by_use;
  fields["staging_bytes_new"] = s.staging_bytes_new;
  fields["huge_page_bytes"] = s.huge_page_bytes;
  fields["cpu_seconds"] = s.cpu_seconds;
  fields["seconds"] = s.seconds;
  fields["backend"] = to_text(s.backend);
  nb::list files;
  for (const FileStats& file : s.files) files.append(fields_of(file));
  fields["files"] = files;
  return fields;
}

void bind_file_stats(nb::module_& m) {
  nb::class_<FileStats>(m, "FileStats", "What was read of one file.")
      .def_prop_ro("path", [](const FileStats& f) { return to_path(f.path); })
      .def_ro("bytes_read", &FileStats::bytes_read)
      .def_ro("bytes_buffered", &FileStats::bytes_buffered)
      .def_ro("bytes_direct", &FileStats::bytes_direct)
      .def_ro("bytes_mapped", &FileStats::bytes_mapped)
      .def_ro("bytes_in_place", &FileStats::bytes_in_place)
      .def_ro("bytes_staged", &FileStats::bytes_staged)
      .def_ro("requests", &FileStats::requests)
      .def_ro("short_reads", &FileStats::short_reads)
      .def_ro("retries", &FileStats::retries)
      .def_ro("opens", &FileStats::opens)
      .def_ro("slowest_seconds", &FileStats::slowest_seconds, "That a request of it took.")
      .def_ro("fallbacks", &FileStats::fallbacks, nb::rv_policy::copy, "Reasons.")
      .def(
          "to_dict", [](const FileStats& f) { return fields_of(f); }, "All fields.",
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"))
      .def(
          "__repr__", [](const FileStats& f) { return nb::str("FileStats(**{!r})").format(fields_of(f)); },
          nb::sig("def __repr__(self) -> str"));
}

}  // namespace

void bind_stats(nb::module_& m) {
  bind_file_stats(m);
  nb::class_<LoadStats>(m, "LoadStats", "What a load did: bytes, peaks, seconds.")
      .def_ro("bytes_wanted", &LoadStats::bytes_wanted)
      .def_ro("bytes_read", &LoadStats::bytes_read)
      .def_ro("bytes_in_place", &LoadStats::bytes_in_place, "Landed in the tile directly.")
      .def_ro("bytes_staged", &LoadStats::bytes_staged, "Went through staging.")
      .def_ro("bytes_by_way", &LoadStats::bytes_by_way, "\"buffered\", \"direct\", \"mapped\".")
      .def_ro("seconds_by_step", &LoadStats::seconds_by_step)
      .def_ro("windows", &LoadStats::windows, "File windows by what was found of them: \"resident\", \"cold\", ...")
      .def_ro("requests", &LoadStats::requests)
      .def_ro("depth", &LoadStats::depth, "Most requests in flight.")
      .def_ro("short_reads", &LoadStats::short_reads)
      .def_ro("retries", &LoadStats::retries)
      .def_ro("fallbacks", &LoadStats::fallbacks, "Reason and how often.")
      .def_ro("opens", &LoadStats::opens)
      .def_ro("unverified_bytes", &LoadStats::unverified_bytes)
      .def_ro("budget_bytes", &LoadStats::budget_bytes)
      .def_ro("peak_bytes", &LoadStats::peak_bytes, "Of the budget; the worst rank's in totals.")
      .def_ro("peak_by_use", &LoadStats::peak_by_use)
      .def_ro("staging_bytes_new", &LoadStats::staging_bytes_new,
              "Staging memory asked of the system, not taken over from a load before in the context.")
      .def_ro("huge_page_bytes", &LoadStats::huge_page_bytes, "Of the tile, on 2 MiB pages; -1: unknown.")
      .def_ro("cpu_seconds", &LoadStats::cpu_seconds, "Of the process during the call; the worst in totals.")
      .def_ro("seconds", &LoadStats::seconds, "Wall clock of the call; the slowest rank's in totals.")
      .def_prop_ro("backend", [](const LoadStats& s) { return to_text(s.backend); })
      .def_ro("files", &LoadStats::files, nb::rv_policy::copy,
              "One `FileStats` a file, by path, where `io_file_stats` asked for them; in totals those of all ranks.")
      .def(
          "to_dict", [](const LoadStats& s) { return fields_of(s); }, "All fields.",
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"))
      .def(
          "__repr__", [](const LoadStats& s) { return nb::str("LoadStats(**{!r})").format(fields_of(s)); },
          nb::sig("def __repr__(self) -> str"));
  m.def(
      "total", [](const LoadStats& stats, const Ranks& ranks) { return total(stats, ranks.comm); }, "stats"_a, "comm"_a,
      Unlocked(), "Sums over ranks. Collective.");
}

}  // namespace loadstone::python
