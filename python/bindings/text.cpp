#include "bindings.hpp"

namespace loadstone::python {

namespace {

nb::str checked(PyObject* text) {
  if (text == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(text);
}

Py_ssize_t length(std::string_view text) { return static_cast<Py_ssize_t>(text.size()); }

}  // namespace

nb::str to_text(std::string_view text) {
  return checked(PyUnicode_DecodeUTF8(text.data(), length(text), "backslashreplace"));
}

nb::str to_path(std::string_view path) { return checked(PyUnicode_DecodeFSDefaultAndSize(path.data(), length(path))); }

nb::object text_or_none(std::string_view text) { return text.empty() ? nb::object(nb::none()) : to_text(text); }

nb::object path_or_none(std::string_view path) { return path.empty() ? nb::object(nb::none()) : to_path(path); }

Pairs to_pairs(const Box& box) {
  Pairs pairs;
  pairs.reserve(box.size());
  for (const Interval& interval : box) pairs.emplace_back(interval.begin, interval.end);
  return pairs;
}

}  // namespace loadstone::python
