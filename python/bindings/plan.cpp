// Plans: which bytes each rank reads and where they land.
#include "bindings.hpp"
#include "communicator.hpp"

#include <loadstone/load.hpp>
#include <loadstone/plan.hpp>

namespace loadstone::python {

void bind_plan(nb::module_& m) {
  nb::class_<LoadPlan>(m, "LoadPlan", "The plan of a load, before a byte is read.")
      .def_prop_ro("shape", [](const LoadPlan& p) { return p.shape; })
      .def_prop_ro("dtype", [](const LoadPlan& p) { return p.dtype.str(); })
      .def("to_text", [](const LoadPlan& p) { return to_text(p.to_text()); })
      .def("to_json", [](const LoadPlan& p) { return to_text(p.to_json()); });
  m.def("make_plan", &make_plan, "dataset"_a, "options"_a, "ranks"_a, "only_rank"_a.none(), Unlocked(),
        "Plans a load of a dataset in hand. Local.");
}

}  // namespace loadstone::python
