#include "bindings.hpp"

namespace loadstone::python {

nb::object numpy_dtype(const DType& dtype) { return nb::module_::import_("numpy").attr("dtype")(dtype.str()); }

void bind_dtype(nb::module_& m) {
  m.def(
      "parse_dtype",
      [](std::string_view text) -> std::optional<std::string> {
        const std::optional<DType> dtype = parse_dtype(text);
        if (!dtype) return std::nullopt;
        return dtype->str();
      },
      "text"_a, "NumPy's array-protocol text of a type that Loadstone knows, such as \"<f4\"; None for any other.");
}

}  // namespace loadstone::python
