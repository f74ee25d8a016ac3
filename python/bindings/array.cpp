// The array handle: geometry as lists, memory as a buffer.
#include "bindings.hpp"
#include "buffer.hpp"
#include "communicator.hpp"

#include <loadstone/array.hpp>

#include <utility>

namespace loadstone::python {

namespace {

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  // Even an empty view needs an address, or consumers take it for a buffer still to be allocated.
  static std::byte nothing{};
  const auto* buffer = nb::inst_ptr<Buffer>(self);
  std::byte* data = buffer->bytes.empty() ? &nothing : buffer->bytes.data();
  return PyBuffer_FillInfo(view, self, data, static_cast<Py_ssize_t>(buffer->bytes.size()), 0, flags);
}

PyType_Slot buffer_slots[] = {  // NOLINT(modernize-avoid-c-arrays): what CPython takes
    {Py_bf_getbuffer, reinterpret_cast<void*>(&get_buffer)},
    {0, nullptr}};

nb::object view_of(Buffer buffer) {
  const nb::object owner = nb::cast(std::move(buffer));
  return nb::steal(PyMemoryView_FromObject(owner.ptr()));
}

nb::object tile_of(const DistributedArray& array) { return view_of({array.memory(), array.local_bytes()}); }

/// Collective. None where the rank gets nothing.
nb::object gather(const DistributedArray& array, int root) {
  auto bytes = std::make_shared<std::vector<std::byte>>();
  {
    const Released released;
    *bytes = array.gather(root);
  }
  if (root >= 0 && root != array.comm()->rank()) return nb::none();
  return view_of({bytes, std::span(*bytes)});
}

}  // namespace

void bind_array(nb::module_& m) {
  nb::class_<Buffer>(m, "Buffer", nb::type_slots(buffer_slots), "Memory that Python sees without a copy.");
  nb::class_<DistributedArray>(m, "Array", "A global array of which this rank holds one tile.")
      .def_prop_ro("shape", [](const DistributedArray& a) { return a.shape(); })
      .def_prop_ro("ndim", &DistributedArray::ndim)
      .def_prop_ro("size", &DistributedArray::size)
      .def_prop_ro("nbytes", &DistributedArray::nbytes)
      .def_prop_ro("itemsize", &DistributedArray::itemsize)
      .def_prop_ro("dtype", [](const DistributedArray& a) { return a.dtype().str(); })
      .def_prop_ro("split", &DistributedArray::split)
      .def_prop_ro("distribution", [](const DistributedArray& a) { return a.distribution(); })
      .def_prop_ro("comm", [](const DistributedArray& a) { return Ranks{a.comm()}; })
      .def_prop_ro("box", [](const DistributedArray& a) { return to_pairs(a.box()); })
      .def_prop_ro("local_shape", &DistributedArray::local_shape)
      .def_prop_ro("local_size", &DistributedArray::local_size)
      .def_prop_ro("local_nbytes", &DistributedArray::local_nbytes)
      .def_prop_ro("local_shapes", &DistributedArray::local_shapes)
      .def_prop_ro("displacement", &DistributedArray::displacement)
      .def_prop_ro("strides", &DistributedArray::strides)
      .def_prop_ro("balanced", &DistributedArray::balanced)
      .def("is_distributed", &DistributedArray::is_distributed)
      .def("counts_displs", &DistributedArray::counts_displs)
      .def_prop_ro("tile", &tile_of, nb::for_getter(nb::sig("def tile(self) -> memoryview")))
      .def_prop_ro("stats", [](const DistributedArray& a) { return a.stats; })
      .def_ro("warnings", &DistributedArray::warnings, nb::rv_policy::copy)
      .def("gather", &gather, "root"_a, nb::sig("def gather(self, root: int) -> memoryview | None"))
      .def("digest", &DistributedArray::digest, Unlocked())
      .def("summary", [](const DistributedArray& a) { return to_text(a.summary()); });
}

}  // namespace loadstone::python
