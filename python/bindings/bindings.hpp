// What the binding sources share: one function a noun, and text in both directions.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <loadstone/distribution.hpp>
#include <loadstone/dtype.hpp>

#include <string_view>
#include <utility>
#include <vector>

#include "released.hpp"

namespace loadstone::python {

namespace nb = nanobind;
using namespace nb::literals;

void bind_errors(nb::module_& m);
void bind_dtype(nb::module_& m);
void bind_distribution(nb::module_& m);
void bind_communicator(nb::module_& m);
void bind_options(nb::module_& m);
void bind_dataset(nb::module_& m);
void bind_plan(nb::module_& m);
void bind_stats(nb::module_& m);
void bind_array(nb::module_& m);
void bind_load(nb::module_& m);
void bind_stream(nb::module_& m);
void bind_maintenance(nb::module_& m);
void bind_probe(nb::module_& m);

/// Releases the interpreter lock around a call whose arguments are all C++ values.
using Unlocked = nb::call_guard<Released>;

/// Text for Python; bytes that are no UTF-8 become backslash escapes.
nb::str to_text(std::string_view text);
/// A path for Python, which opens the same file there: os.fsdecode.
nb::str to_path(std::string_view path);
/// The same, or None for an empty one.
nb::object text_or_none(std::string_view text);
nb::object path_or_none(std::string_view path);

/// (begin, end) pairs.
using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
Pairs to_pairs(const Box& box);

/// numpy.dtype of a type; NumPy is imported by the first call.
nb::object numpy_dtype(const DType& dtype);

}  // namespace loadstone::python
