// Faults, and the one place where loadstone::Error becomes a Python exception.
#include "bindings.hpp"
#include "communicator.hpp"

#include <loadstone/error.hpp>
#include <loadstone/load.hpp>

#include <utility>

namespace loadstone::python {

namespace {

Code code_of(std::string_view text) {
  const std::optional<Code> code = parse_code(text);
  if (!code) throw nb::value_error(("there is no error code '" + std::string(text) + "'").c_str());
  return *code;
}

nb::object value_or_none(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return to_text(*text);
  return nb::cast(value);
}

nb::object errno_or_none(const Fault& fault) {
  return fault.system_errno == 0 ? nb::object(nb::none()) : nb::cast(fault.system_errno);
}

/// Builds, without raising it, the exception of loadstone._errors for a failure.
nb::object make_exception(const Failure& failure, const Failure* local) {
  nb::list faults;
  for (const Fault& fault : failure.faults) faults.append(nb::cast(fault));
  nb::list notes;
  for (const std::string& note : failure.notes) notes.append(to_text(note));
  const nb::object of_this_rank = local == nullptr ? nb::object(nb::none()) : make_exception(*local, nullptr);
  return nb::module_::import_("loadstone._errors")
      .attr("from_failure")(to_text(describe(failure, Audience::python)), faults,
                            "total_faults"_a = failure.total_faults, "phase"_a = text_or_none(failure.phase),
                            "round"_a = failure.round < 0 ? nb::object(nb::none()) : nb::cast(failure.round),
                            "rank"_a = failure.rank < 0 ? nb::object(nb::none()) : nb::cast(failure.rank),
                            "notes"_a = notes, "local"_a = of_this_rank);
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    try {
      const nb::object exception = make_exception(error.failure(), error.local());
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
    } catch (nb::python_error& broken) {
      broken.restore();
    }
  }
}

nb::dict fields_of(const Fault& fault, std::string_view remedy) {
  nb::dict fields;
  fields["code"] = to_text(to_string(fault.code));
  fields["kind"] = to_text(fault.kind);
  fields["message"] = to_text(fault.message);
  const auto put = [&](const char* name, const nb::object& value) {
    if (!value.is_none()) fields[name] = value;
  };
  put("remedy", text_or_none(remedy));
  put("shard", nb::cast(fault.shard));
  put("path", path_or_none(fault.path));
  put("item", text_or_none(fault.item));
  put("offset", nb::cast(fault.offset));
  put("bytes", nb::cast(fault.bytes));
  put("errno", errno_or_none(fault));
  put("wanted", value_or_none(fault.wanted));
  put("got", value_or_none(fault.got));
  put("set_by", text_or_none(fault.set_by));
  return fields;
}

nb::dict fields_to_show(const Fault& fault) { return fields_of(fault, fault.remedy.text(Audience::python)); }

/// Takes what fields_of gives. `path` goes through os.fsencode, so that a name of any bytes comes back unchanged.
void construct_fault(Fault* self, std::string_view code, std::string kind, std::string message, std::string remedy,
                     std::optional<std::int64_t> shard, const nb::object& path, std::string item,
                     std::optional<std::int64_t> offset, std::optional<std::int64_t> bytes, int system_errno,
                     Value wanted, Value got, std::string set_by) {
  Fault fault;
  fault.code = code_of(code);
  fault.kind = std::move(kind);
  fault.message = std::move(message);
  fault.remedy = std::move(remedy);
  fault.shard = shard;
  if (!path.is_none()) fault.path = nb::cast<nb::bytes>(nb::module_::import_("os").attr("fsencode")(path)).c_str();
  fault.item = std::move(item);
  fault.offset = offset;
  fault.bytes = bytes;
  fault.system_errno = system_errno;
  fault.wanted = std::move(wanted);
  fault.got = std::move(got);
  fault.set_by = std::move(set_by);
  new (self) Fault(std::move(fault));
}

void bind_fault(nb::module_& m) {
  nb::class_<Fault>(m, "Fault", "One thing that is wrong (a fault) or merely worth saying (a warning).")
      .def("__init__", &construct_fault, nb::kw_only(), "code"_a, "kind"_a, "message"_a, "remedy"_a = "",
           "shard"_a = nb::none(), "path"_a = nb::none(), "item"_a = "", "offset"_a = nb::none(),
           "bytes"_a = nb::none(), "errno"_a = 0, "wanted"_a = nb::none(), "got"_a = nb::none(), "set_by"_a = "",
           nb::sig("def __init__(self, *, code: str, kind: str, message: str, remedy: str = '', shard: int | None = "
                   "None, path: str | None = None, item: str = '', offset: int | None = None, bytes: int | None = "
                   "None, errno: int = 0, wanted: int | str | list[int] | None = None, got: int | str | list[int] | "
                   "None = None, set_by: str = '') -> None"))
      .def_prop_ro(
          "code", [](const Fault& f) { return to_text(to_string(f.code)); }, "Stable error code.")
      .def_prop_ro(
          "kind", [](const Fault& f) { return to_text(f.kind); }, "Stable dotted name.")
      .def_prop_ro(
          "message", [](const Fault& f) { return to_text(f.message); }, "What is wrong, in one sentence.")
      .def_prop_ro(
          "remedy", [](const Fault& f) { return text_or_none(f.remedy.text(Audience::python)); },
          "What to do about it.", nb::for_getter(nb::sig("def remedy(self) -> str | None")))
      .def_ro("shard", &Fault::shard, "Position of the shard in the dataset.")
      .def_prop_ro(
          "path", [](const Fault& f) { return path_or_none(f.path); }, "File or directory.",
          nb::for_getter(nb::sig("def path(self) -> str | None")))
      .def_prop_ro(
          "item", [](const Fault& f) { return text_or_none(f.item); }, "Tensor, column or option.",
          nb::for_getter(nb::sig("def item(self) -> str | None")))
      .def_ro("offset", &Fault::offset, "Byte position in the file.")
      .def_ro("bytes", &Fault::bytes, "Length of the range concerned.")
      .def_prop_ro("errno", &errno_or_none, "Of the system call that failed.",
                   nb::for_getter(nb::sig("def errno(self) -> int | None")))
      .def_prop_ro(
          "wanted", [](const Fault& f) { return value_or_none(f.wanted); }, "A number, a text or a shape.",
          nb::for_getter(nb::sig("def wanted(self) -> int | str | list[int] | None")))
      .def_prop_ro(
          "got", [](const Fault& f) { return value_or_none(f.got); }, "A number, a text or a shape.",
          nb::for_getter(nb::sig("def got(self) -> int | str | list[int] | None")))
      .def_prop_ro(
          "set_by", [](const Fault& f) { return text_or_none(f.set_by); }, "What fixed the expectation.",
          nb::for_getter(nb::sig("def set_by(self) -> str | None")))
      .def("to_dict", &fields_to_show, "The fields that are set.",
           nb::sig("def to_dict(self) -> dict[str, int | str | list[int]]"))
      .def(
          "__eq__",
          [](const Fault& a, const nb::object& b) {
            return nb::isinstance<Fault>(b) && a == nb::cast<const Fault&>(b);
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__hash__", [](const Fault& f) { return nb::hash(nb::make_tuple(to_text(f.kind), to_text(f.message))); },
          nb::sig("def __hash__(self) -> int"))
      .def(
          "__repr__", [](const Fault& f) { return nb::str("Fault(**{!r})").format(fields_to_show(f)); },
          nb::sig("def __repr__(self) -> str"))
      .def(
          "__reduce__",
          [](const Fault& f) {
            return nb::make_tuple(nb::module_::import_("loadstone._errors").attr("fault_from_dict"),
                                  nb::make_tuple(fields_of(f, f.remedy.marked())));
          },
          nb::sig("def __reduce__(self) -> tuple[object, tuple[dict[str, int | str | list[int]]]]"));
}

}  // namespace

void bind_errors(nb::module_& m) {
  bind_fault(m);
  nb::register_exception_translator(&translate);
  m.def(
      "fail", [](std::vector<Fault> faults) { throw Error(failure_of(std::move(faults))); }, "faults"_a,
      "Raises the error that has these faults. Local.", nb::sig("def fail(faults: list[Fault]) -> typing.Never"));
  m.def(
      "refuse",
      [](std::vector<Fault> faults, const Ranks& ranks) {
        Failure failure = failure_of(std::move(faults));
        if (ranks.comm->size() > 1) failure.rank = ranks.comm->rank();
        refuse(Error(std::move(failure)), ranks.comm);
      },
      "faults"_a, "comm"_a, Unlocked(),
      "Takes part in a collective call with these faults, so that no rank waits; raises on all of them. Collective.",
      nb::sig("def refuse(faults: list[Fault], comm: Communicator) -> typing.Never"));
}

}  // namespace loadstone::python
