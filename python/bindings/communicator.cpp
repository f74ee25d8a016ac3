// Communicators: this process alone, the launcher's world, an mpi4py communicator.
#include "communicator.hpp"
#include "bindings.hpp"

#include "comm/modules.hpp"

#include <loadstone/communicator.hpp>

#include <cstdint>

namespace loadstone::python {

namespace {

/// `address` is that of an MPI_Comm handle of `nbytes` bytes, which mpi4py keeps alive during the call.
Ranks wrap_mpi4py(std::string_view library_version, std::uintptr_t address, std::size_t nbytes) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): mpi4py hands out addresses as numbers
  const auto* handle = reinterpret_cast<const void*>(address);
  return {value_or_throw(comm::wrap_mpi4py(library_version, handle, nbytes))};
}

}  // namespace

void bind_communicator(nb::module_& m) {
  nb::class_<Ranks>(m, "Communicator", "A group of ranks with a message space of its own.")
      .def_prop_ro(
          "rank", [](const Ranks& ranks) { return ranks.comm->rank(); }, "Number of this rank. Local.")
      .def_prop_ro(
          "size", [](const Ranks& ranks) { return ranks.comm->size(); }, "How many ranks. Local.")
      .def_prop_ro(
          "description", [](const Ranks& ranks) { return to_text(ranks.comm->description()); },
          "\"self\", \"threads\", \"mpi (Open MPI v4.1.4 ...)\".")
      .def(
          "__repr__",
          [](const Ranks& ranks) {
            return nb::str("<loadstone.Communicator rank {} of {}: {}>")
                .format(ranks.comm->rank(), ranks.comm->size(), to_text(ranks.comm->description()));
          },
          nb::sig("def __repr__(self) -> str"));
  m.def("self_communicator", [] { return Ranks{self_communicator()}; }, "This process alone: rank 0 of 1.");
  m.def(
      "world_communicator", [] { return Ranks{world_communicator()}; }, Unlocked(),
      "The world of the launcher that started this process; this process alone if there is none. Collective.");
  m.def("wrap_mpi4py", &wrap_mpi4py, "library_version"_a, "address"_a, "nbytes"_a, Unlocked(),
        "A duplicate of an mpi4py communicator. Collective the first time.");
  m.def(
      "launcher", [] { return comm::to_string(comm::launcher_of_environment()); },
      "Whose launcher started this process: \"none\", \"openmpi\" or \"mpich\".");
  m.def(
      "find_beside", [](std::string_view file) { return path_or_none(comm::find_beside(file).native()); }, "file"_a,
      "The path of a file that was installed or built with the MPI modules; None if it was not.",
      nb::sig("def find_beside(file: str) -> str | None"));
  m.def("launched_ranks", &comm::launched_ranks, "How many ranks that launcher started.");
}

}  // namespace loadstone::python
