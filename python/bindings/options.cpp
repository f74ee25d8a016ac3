// Options as plain attributes; loadstone._options fills them from checked keywords.
#include "bindings.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <loadstone/error.hpp>
#include <loadstone/options.hpp>

#include <memory>
#include <span>

namespace nanobind::detail {

/// `...` itself on both sides.
template <>
struct type_caster<loadstone::Ellipsis> {
  NB_TYPE_CASTER(loadstone::Ellipsis, const_name("types.EllipsisType"))
  bool from_python(handle source, std::uint8_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    return source.ptr() == Py_Ellipsis;
  }
  static handle from_cpp(const loadstone::Ellipsis& /*rest*/, rv_policy /*policy*/,
                         cleanup_list* /*cleanup*/) noexcept {
    return handle(Py_Ellipsis).inc_ref();
  }
};

}  // namespace nanobind::detail

namespace loadstone::python {

namespace {

void bind_words(nb::module_& m) {
  nb::enum_<Order>(m, "Order")
      .value("auto", Order::automatic)
      .value("given", Order::given)
      .value("numeric", Order::numeric);
  nb::enum_<Tiles>(m, "Tiles").value("balanced", Tiles::balanced).value("ceil", Tiles::ceil);
  nb::enum_<Casting>(m, "Casting")
      .value("lossless", Casting::lossless)
      .value("checked", Casting::checked)
      .value("lossy", Casting::lossy);
  nb::enum_<Verify>(m, "Verify").value("none", Verify::none).value("crc", Verify::crc);
  nb::enum_<IdentityRule>(m, "IdentityRule")
      .value("strict", IdentityRule::strict)
      .value("size_mtime", IdentityRule::size_mtime);
}

std::optional<std::string> text_of(const std::optional<DType>& dtype) {
  return dtype ? std::optional(dtype->str()) : std::nullopt;
}

/// The text has been through parse_dtype already.
std::optional<DType> dtype_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::optional<DType> dtype = parse_dtype(*text);
  if (!dtype) throw nb::value_error("unknown dtype text");
  return dtype;
}

void bind_slice(nb::module_& m) {
  nb::class_<Slice>(m, "Slice", "begin:end:step of one axis.")
      .def(
          "__init__",
          [](Slice* self, std::optional<std::int64_t> begin, std::optional<std::int64_t> end, std::int64_t step) {
            new (self) Slice{begin, end, step};
          },
          "begin"_a = nb::none(), "end"_a = nb::none(), "step"_a = 1)
      .def_ro("begin", &Slice::begin)
      .def_ro("end", &Slice::end)
      .def_ro("step", &Slice::step);
}

void bind_open_options(nb::module_& m) {
  nb::class_<OpenOptions>(m, "OpenOptions", "How a dataset is found and checked.")
      .def(nb::init<>())
      .def_rw("format", &OpenOptions::format)
      .def_rw("order", &OpenOptions::order)
      .def_rw("first_index", &OpenOptions::first_index, nb::arg().none())
      .def_rw("any_first_index", &OpenOptions::any_first_index)
      .def_rw("ignore", &OpenOptions::ignore)
      .def_rw("roots", &OpenOptions::roots)
      .def_rw("expect_shards", &OpenOptions::expect_shards, nb::arg().none())
      .def_rw("expect_rows", &OpenOptions::expect_rows, nb::arg().none())
      .def_rw("strict", &OpenOptions::strict)
      .def_rw("max_header_bytes", &OpenOptions::max_header_bytes)
      .def_rw("sidecar", &OpenOptions::sidecar)
      .def_prop_rw(
          "cast", [](const OpenOptions& o) { return text_of(o.cast); },
          [](OpenOptions& o, const std::optional<std::string>& text) { o.cast = dtype_of(text); },
          nb::for_setter(nb::arg().none()))
      .def_prop_rw(
          "trailing_shape", [](const OpenOptions& o) { return o.trailing_shape; },
          [](OpenOptions& o, const std::optional<Shape>& shape) { o.trailing_shape = shape; },
          nb::for_setter(nb::arg().none()))
      .def_rw("byteorder", &OpenOptions::byteorder)
      .def_rw("header_bytes", &OpenOptions::header_bytes, nb::arg().none())
      .def_rw("allow_tail", &OpenOptions::allow_tail);
}

void bind_io_options(nb::module_& m) {
  nb::class_<IoOptions>(m, "IoOptions", "How bytes are fetched.")
      .def(nb::init<>())
      .def_rw("backend", &IoOptions::backend)
      .def_rw("direct", &IoOptions::direct)
      .def_rw("mapped", &IoOptions::mapped)
      .def_rw("huge_pages", &IoOptions::huge_pages)
      .def_rw("page_cache", &IoOptions::page_cache)
      .def_rw("landing", &IoOptions::landing)
      .def_rw("fs_class", &IoOptions::fs_class)
      .def_rw("request_bytes", &IoOptions::request_bytes)
      .def_rw("depth", &IoOptions::depth)
      .def_rw("threads", &IoOptions::threads)
      .def_rw("open_files", &IoOptions::open_files)
      .def_rw("retries", &IoOptions::retries)
      .def_rw("file_stats", &IoOptions::file_stats);
}

void set_rows_per_rank(LoadOptions& options, const std::optional<std::vector<std::int64_t>>& rows) {
  options.has_rows_per_rank = rows.has_value();
  options.rows_per_rank = rows.value_or(std::vector<std::int64_t>());
}

/// Writable bytes of a Python object, held until the last holder lets go; that may be any thread.
std::shared_ptr<Py_buffer> borrow(nb::handle object) {
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object.ptr(), view.get(), PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) != 0) nb::raise_python_error();
  return {view.release(), [](Py_buffer* held) {
            const std::unique_ptr<Py_buffer> owned(held);
            const nb::gil_scoped_acquire locked;
            PyBuffer_Release(owned.get());
          }};
}

void set_out(LoadOptions& options, nb::handle bytes, const std::string& dtype, const Shape& shape) {
  const std::shared_ptr<Py_buffer> view = borrow(bytes);
  const std::span memory(static_cast<std::byte*>(view->buf), static_cast<std::size_t>(view->len));
  options.out = Destination{memory, view, dtype_of(dtype), shape};
}

void bind_context(nb::module_& m) {
  nb::class_<Context>(m, "Context", "What several loads of a process share.")
      .def(
          "__init__", [](Context* self, std::optional<std::int64_t> budget_bytes) { new (self) Context(budget_bytes); },
          "budget_bytes"_a.none() = nb::none())
      .def_prop_ro("budget_bytes", &Context::budget_bytes)
      .def_prop_ro("idle_bytes", &Context::idle_bytes)
      .def("trim", &Context::trim, Unlocked());
}

void bind_load_options(nb::module_& m) {
  nb::class_<LoadOptions>(m, "LoadOptions", "How a dataset is laid out over ranks and read.")
      .def(nb::init<>())
      .def_rw("open", &LoadOptions::open)
      .def_rw("io", &LoadOptions::io)
      .def_rw("split", &LoadOptions::split, nb::arg().none())
      .def_rw("tiles", &LoadOptions::tiles)
      .def_prop_rw(
          "rows_per_rank",
          [](const LoadOptions& o) { return o.has_rows_per_rank ? std::optional(o.rows_per_rank) : std::nullopt; },
          &set_rows_per_rank, nb::for_setter(nb::arg().none()))
      .def_rw("overdecompose", &LoadOptions::overdecompose)
      .def_rw("rows", &LoadOptions::rows, nb::arg().none())
      .def_rw("select", &LoadOptions::select)
      .def_prop_rw(
          "dtype", [](const LoadOptions& o) { return text_of(o.dtype); },
          [](LoadOptions& o, const std::optional<std::string>& text) { o.dtype = dtype_of(text); },
          nb::for_setter(nb::arg().none()))
      .def_rw("casting", &LoadOptions::casting)
      .def_rw("budget_bytes", &LoadOptions::budget_bytes, nb::arg().none())
      .def_rw("context", &LoadOptions::context, nb::arg().none())
      .def_rw("verify", &LoadOptions::verify)
      .def_rw("deadline_s", &LoadOptions::deadline_s)
      .def_rw("identity", &LoadOptions::identity, nb::arg().none())
      .def_rw("device", &LoadOptions::device)
      .def("set_out", &set_out, "bytes"_a, "dtype"_a, "shape"_a, "Loads into memory that Python owns.",
           nb::sig("def set_out(self, bytes: object, dtype: str, shape: list[int]) -> None"));
}

}  // namespace

void bind_options(nb::module_& m) {
  bind_words(m);
  bind_slice(m);
  bind_open_options(m);
  bind_io_options(m);
  bind_context(m);
  bind_load_options(m);
  m.def("parse_bytes", &parse_bytes, "text"_a, "The number of bytes of a text such as \"64MiB\".");
  m.def("format_bytes", &format_bytes, "nbytes"_a, "Such as \"64.0 MiB\".");
  m.def("parse_selection", &parse_selection, "text"_a, "The entries of a text such as \"1::7,-2\".");
}

}  // namespace loadstone::python
