// loadstone._core: the library as Python sees it. Shapes of calls only; what people use is the package around it.
#include "bindings.hpp"

#include <loadstone/version.hpp>

NB_MODULE(_core, m) {
  using namespace loadstone::python;
  wait_at_exit();
  m.doc() = "The compiled part of loadstone. Use the package, not this module.";
  m.def("version", &loadstone::version, "MAJOR.MINOR.PATCH");
  bind_errors(m);
  bind_dtype(m);
  bind_distribution(m);
  bind_communicator(m);
  bind_options(m);
  bind_dataset(m);
  bind_plan(m);
  bind_stats(m);
  bind_array(m);
  bind_load(m);
  bind_stream(m);
  bind_maintenance(m);
  bind_probe(m);
}
