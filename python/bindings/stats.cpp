// What a load did.
#include "bindings.hpp"
#include "communicator.hpp"

#include <loadstone/load.hpp>
#include <loadstone/stats.hpp>

namespace loadstone::python {

namespace {

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
  return fields;
}

}  // namespace

void bind_stats(nb::module_& m) {
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
      .def("to_dict", &fields_of, "All fields.", nb::sig("def to_dict(self) -> dict[str, typing.Any]"))
      .def(
          "__repr__", [](const LoadStats& s) { return nb::str("LoadStats(**{!r})").format(fields_of(s)); },
          nb::sig("def __repr__(self) -> str"));
  m.def(
      "total", [](const LoadStats& stats, const Ranks& ranks) { return total(stats, ranks.comm); }, "stats"_a, "comm"_a,
      Unlocked(), "Sums over ranks. Collective.");
}

}  // namespace loadstone::python
