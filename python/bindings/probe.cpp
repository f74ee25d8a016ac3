// What this build and this machine can do.
#include "bindings.hpp"

#include <loadstone/load.hpp>

namespace loadstone::python {

void bind_probe(nb::module_& m) {
  nb::class_<Capability>(m, "Capability", "Something that may or may not be built, or usable here.")
      .def_ro("name", &Capability::name)
      .def_ro("built", &Capability::built)
      .def_ro("usable", &Capability::usable)
      .def_ro("reason", &Capability::reason, "Why it is not usable, or what it is.")
      .def(
          "__repr__",
          [](const Capability& c) {
            return nb::str("<loadstone.Capability {}: {}built, {}usable; {}>")
                .format(to_text(c.name), c.built ? "" : "not ", c.usable ? "" : "not ", to_text(c.reason));
          },
          nb::sig("def __repr__(self) -> str"));
  nb::class_<Setting>(m, "Setting", "A setting and where it comes from.")
      .def_ro("name", &Setting::name)
      .def_ro("value", &Setting::value)
      .def_ro("origin", &Setting::origin, "\"default\", \"environment\", \"option\".")
      .def(
          "__repr__",
          [](const Setting& s) {
            return nb::str("<loadstone.Setting {} = {} ({})>")
                .format(to_text(s.name), to_text(s.value), to_text(s.origin));
          },
          nb::sig("def __repr__(self) -> str"));
  m.def("known_formats", &known_formats, "Formats that can be read.");
  m.def("backends", &backends, "Ways to fetch bytes.");
  m.def("communicators", &communicators, "Ways for ranks to reach each other.");
  m.def("settings", &settings, "Every setting and where it comes from.");
  m.def("environment_warnings", &environment_warnings, "About LOADSTONE_ names in the environment that mean nothing.");
}

}  // namespace loadstone::python
