#include "formats/npy_literal.hpp"

#include "core/text.hpp"
#include "formats/faults.hpp"
#include "formats/npy_cursor.hpp"
#include "formats/npy_descr.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

namespace loadstone::formats {

namespace {

// NumPy writes nested structures a few levels deep; the bound keeps recursion off the word of a header.
constexpr int kMaxDescrDepth = 16;
// A fault that lists fields stays readable, and small for a header of a mebibyte.
constexpr std::int64_t kMaxListedFields = 1000;

class Parser {
 public:
  explicit Parser(NpyCursor cursor, const Limits& limits) : cursor_(std::move(cursor)), limits_(limits) {}

  Result<NpyLiteral> run() {
    if (!dictionary() || !cursor_.expect_end() || !all_keys_there()) return cursor_.take_fault();
    return std::move(literal_);
  }

 private:
  enum Key : std::size_t { descr_key, order_key, shape_key };
  static constexpr std::array<std::string_view, 3> kKeys{"descr", "fortran_order", "shape"};

  bool dictionary() {
    if (!cursor_.expect('{')) return false;
    do {
      if (!item()) return false;
    } while (cursor_.skip(',') && !cursor_.at('}'));
    return cursor_.expect('}');
  }

  bool item() {
    const std::int64_t offset = cursor_.offset();
    const std::optional<std::string> name = cursor_.string("a key in quotes");
    if (!name) return false;
    for (std::size_t key = 0; key < kKeys.size(); ++key) {
      if (*name != kKeys[key]) continue;
      if (std::exchange(seen_[key], true)) return key_fault(offset, *name, "is there twice");
      return cursor_.expect(':') && value(static_cast<Key>(key));
    }
    return key_fault(offset, *name, "is unknown");
  }

  bool value(Key key) {
    switch (key) {
      case descr_key:
        return top_descr();
      case order_key:
        return truth();
      case shape_key:
        return tuple(literal_.shape);
    }
    return false;
  }

  bool truth() {
    literal_.fortran_order = cursor_.at_word("True");
    if (literal_.fortran_order || cursor_.at_word("False")) return cursor_.advance();
    return cursor_.fail("True or False");
  }

  bool tuple(Shape& shape) {
    if (!cursor_.expect('(')) return false;
    if (cursor_.skip(')')) return true;
    do {
      const std::optional<std::int64_t> extent = cursor_.extent();
      if (!extent) return false;
      if (static_cast<std::int64_t>(shape.size()) == limits_.max_ndim) return too_many_axes();
      shape.push_back(*extent);
      if (shape.size() == 1 && !cursor_.at(',')) return cursor_.fail("\",\"");
    } while (cursor_.skip(',') && !cursor_.at(')'));
    return cursor_.expect(')');
  }

  bool top_descr() {
    NpyDescr& descr = literal_.descr;
    descr.offset = cursor_.offset();
    descr.structured = cursor_.at('[');
    if (descr.structured) return field_list(0);
    std::optional<std::string> text = cursor_.string("an element type in quotes, or a list of fields");
    if (!text) return false;
    descr.scalar = std::move(*text);
    return true;
  }

  bool field_list(int depth) {
    if (depth == kMaxDescrDepth) return cursor_.fail(fmt::format("fields nested at most {} deep", kMaxDescrDepth));
    if (!cursor_.expect('[')) return false;
    bool first = true;
    do {
      if (depth == 0) ++literal_.descr.field_count;
      if (!field(depth, std::exchange(first, false))) return false;
    } while (cursor_.skip(',') && !cursor_.at(']'));
    return cursor_.expect(']');
  }

  bool field(int depth, bool first) {
    if (!cursor_.expect('(')) return false;
    const std::optional<std::string> name = field_name();
    if (!name || !cursor_.expect(',')) return false;
    note((first ? "" : ", ") + escape(*name) + ": ");
    if (!field_descr(depth)) return false;
    if (cursor_.skip(',') && !field_shape()) return false;
    return cursor_.expect(')');
  }

  std::optional<std::string> field_name() {
    if (!cursor_.skip('(')) return cursor_.string("a field's name in quotes");
    if (!cursor_.string("a field's title in quotes") || !cursor_.expect(',')) return std::nullopt;
    std::optional<std::string> name = cursor_.string("a field's name in quotes");
    if (!name || !cursor_.expect(')')) return std::nullopt;
    return name;
  }

  bool field_descr(int depth) {
    if (cursor_.at('[')) {
      note("(");
      if (!field_list(depth + 1)) return false;
      note(")");
      return true;
    }
    const std::optional<std::string> type = cursor_.string("a field's type in quotes, or a list of fields");
    if (!type) return false;
    literal_.descr.has_objects |= is_object_descr(*type);
    note(escape(*type));
    return true;
  }

  bool field_shape() {
    Shape shape;
    if (cursor_.at('(')) {
      if (!tuple(shape)) return false;
    } else {
      const std::optional<std::int64_t> extent = cursor_.extent();
      if (!extent) return false;
      shape.push_back(*extent);
    }
    note(" " + shape_text(shape));
    return true;
  }

  void note(std::string_view text) {
    if (literal_.descr.field_count <= kMaxListedFields) literal_.descr.fields += text;
  }

  bool all_keys_there() {
    for (std::size_t key = 0; key < kKeys.size(); ++key) {
      if (!seen_[key]) return key_fault(cursor_.offset(), kKeys[key], "is missing");
    }
    return true;
  }

  bool key_fault(std::int64_t offset, std::string_view name, std::string_view what) {
    Fault fault = malformed("header.key", fmt::format("the header key '{}' {}", escape(name), what),
                            "Write the file again with numpy.save: its keys are descr, fortran_order and shape.");
    fault.offset = offset;
    fault.wanted = std::string("descr, fortran_order, shape, once each");
    fault.got = escape(name);
    return cursor_.fail(std::move(fault));
  }

  bool too_many_axes() {
    Fault fault = malformed("header.shape", fmt::format("the shape has more than {} axes", limits_.max_ndim),
                            "Write the array again with fewer axes.");
    fault.offset = cursor_.offset();
    fault.wanted = limits_.max_ndim;
    return cursor_.fail(std::move(fault));
  }

  NpyCursor cursor_;
  const Limits& limits_;
  NpyLiteral literal_;
  std::array<bool, 3> seen_{};
};

std::optional<Fault> not_utf8(std::string_view text, std::int64_t prefix_bytes) {
  const std::optional<std::size_t> at = first_invalid_utf8(text);
  if (!at) return std::nullopt;
  const std::int64_t offset = prefix_bytes + static_cast<std::int64_t>(*at);
  Fault fault = malformed("header.syntax", fmt::format("the header of version 3.0 is not UTF-8 at byte {}", offset),
                          "Write the file again with numpy.save.");
  fault.offset = offset;
  fault.wanted = std::string("UTF-8");
  fault.got = escape(text.substr(*at, 1));
  return fault;
}

}  // namespace

Result<NpyLiteral> parse_npy_literal(std::string_view text, int version, std::int64_t prefix_bytes,
                                     const Limits& limits) {
  if (version >= 3) {
    if (std::optional<Fault> fault = not_utf8(text, prefix_bytes)) return std::move(*fault);
  }
  return Parser(NpyCursor(text, version, prefix_bytes), limits).run();
}

}  // namespace loadstone::formats
