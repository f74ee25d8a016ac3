#include "loader/reference.hpp"

#include "core/option_words.hpp"
#include "core/text.hpp"
#include "core/transfer.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace loadstone::loader {
namespace {

/// Shards that agree with a layout in what the reference is: type and trailing shape.
bool agree(const Layout& a, const Layout& b) {
  return !a.scalar && !b.scalar && a.dtype.native() == b.dtype.native() && a.trailing_shape == b.trailing_shape;
}

/// Sound shards of each layout.
std::vector<std::int64_t> count_layouts(const Scanned& scanned) {
  std::vector<std::int64_t> counts(scanned.layouts.size());
  for (const Record& record : scanned.records) {
    if (record.sound()) ++counts[static_cast<std::size_t>(record.layout)];
  }
  return counts;
}

/// How many sound shards agree with a layout.
std::int64_t count_like(const Scanned& scanned, const Layout& layout, std::span<const std::int64_t> counts) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (agree(scanned.layouts[i], layout)) count += counts[i];
  }
  return count;
}

/// The layout that most sound shards agree with; of a tie the one of the lowest shard. Null if all are 0-d or unsound.
const Layout* majority(const Scanned& scanned) {
  const std::vector<std::int64_t> counts = count_layouts(scanned);
  std::vector<std::int64_t> likes;
  for (const Layout& layout : scanned.layouts) likes.push_back(count_like(scanned, layout, counts));
  const Layout* best = nullptr;
  std::int64_t most = 0;
  for (const Record& record : scanned.records) {
    if (!record.sound() || likes[static_cast<std::size_t>(record.layout)] <= most) continue;
    most = likes[static_cast<std::size_t>(record.layout)];
    best = &scanned.layout_of(record);
  }
  return best;
}

/// One comparison of a shard with the reference.
class Comparison {
 public:
  Comparison(const Found& found, const Scanned& scanned, const Reference& reference, const std::optional<DType>& cast)
      : found_(found), scanned_(scanned), reference_(reference), cast_(cast) {}

  std::vector<Fault> run() {
    for (std::size_t at = 0; at < scanned_.records.size(); ++at) {
      if (!scanned_.records[at].sound()) continue;
      compare_offset(at, scanned_.records[at].data_offset);
      compare(at, scanned_.layout_of(scanned_.records[at]));
    }
    return std::move(faults_);
  }

 private:
  void compare(std::size_t at, const Layout& layout) {
    if (reference_.scalar) return;
    if (layout.scalar) return add(at, scalar());
    const bool dtype_differs = !dtype_fits(layout.dtype);
    const std::int64_t rows = scanned_.records[at].rows;
    if (dtype_differs) add(at, differing_dtype(layout.dtype));
    if (layout.trailing_shape.size() != reference_.trailing_shape.size()) {
      add(at, differing_ndim(rows, layout.trailing_shape));
    } else if (layout.trailing_shape != reference_.trailing_shape) {
      add(at, differing_trailing(layout.trailing_shape));
    } else if (!dtype_differs) {
      compare_rows(at, rows);
    }
  }

  [[nodiscard]] bool dtype_fits(const DType& dtype) const {
    if (dtype.native() == reference_.dtype.native()) return true;
    return cast_ && reference_.set_by == "majority" && can_cast(dtype, *cast_);
  }

  void compare_rows(std::size_t at, std::int64_t rows) {
    if (found_.stated.empty() || !found_.stated[at].rows || *found_.stated[at].rows == rows) return;
    Fault fault = make_fault("shard.rows",
                             fmt::format("the header states {}, the {} {}", counted(rows, "row"), found_.set_by,
                                         grouped(*found_.stated[at].rows)),
                             "Bring back the file that was recorded, or record this one.");
    fault.wanted = *found_.stated[at].rows;
    fault.got = rows;
    add(at, std::move(fault));
  }

  /// Of raw shards it is what is stated; the header of others must agree with it.
  void compare_offset(std::size_t at, std::int64_t got) {
    if (found_.set_by != "manifest" || found_.stated.empty()) return;
    const std::int64_t wanted = found_.stated[at].offset.value_or(got);
    if (wanted == got) return;
    Fault fault = make_fault(
        "shard.data_offset", fmt::format("the payload starts at byte {}, the manifest states {}", got, wanted),
        "Correct 'data_offset' in the manifest, or record this file: " + named(Option::record, "DIR") + ".");
    fault.wanted = wanted;
    fault.got = got;
    add(at, std::move(fault));
  }

  static Fault scalar() {
    Fault fault = make_fault("shard.scalar", "it is 0-d and has no rows to stack", "Leave it out, or load it alone.");
    fault.got = Shape{};
    return fault;
  }

  [[nodiscard]] Fault differing_dtype(const DType& dtype) const {
    Fault fault = make_fault(
        "shard.dtype", fmt::format("its type is {}, that of {} is {}", dtype.name(), who(), reference_.dtype.name()),
        "Rewrite this shard, leave it out, or ask for one type with " + named(Option::dtype) + ".");
    fault.wanted = reference_.dtype.str();
    fault.got = dtype.str();
    return fault;
  }

  [[nodiscard]] Fault differing_ndim(std::int64_t rows, Shape shape) const {
    shape.insert(shape.begin(), rows);
    Fault fault = make_fault(
        "shard.ndim",
        fmt::format("its shape {} has {} axes, that of {} {}", shape_text(shape), shape.size(), who(), wanted_ndim()),
        "Rewrite this shard, or leave it out.");
    fault.wanted = wanted_ndim();
    fault.got = static_cast<std::int64_t>(shape.size());
    return fault;
  }

  [[nodiscard]] Fault differing_trailing(const Shape& trailing) const {
    Fault fault = make_fault("shard.trailing_shape",
                             fmt::format("its rows have the shape {}, those of {} {}", shape_text(trailing), who(),
                                         shape_text(reference_.trailing_shape)),
                             "Rewrite this shard, or leave it out.");
    fault.wanted = reference_.trailing_shape;
    fault.got = trailing;
    return fault;
  }

  [[nodiscard]] std::int64_t wanted_ndim() const {
    return static_cast<std::int64_t>(reference_.trailing_shape.size()) + 1;
  }

  /// Who set the expectation, for the message.
  [[nodiscard]] std::string who() const {
    if (reference_.set_by != "majority") return "the " + reference_.set_by;
    if (sharing_ == 0) {
      const Layout like{{}, reference_.dtype, reference_.trailing_shape, false, StorageOrder::c};
      sharing_ = count_like(scanned_, like, count_layouts(scanned_));
    }
    return fmt::format("{} of {}", grouped(sharing_),
                       counted(static_cast<std::int64_t>(scanned_.records.size()), "shard"));
  }

  void add(std::size_t at, Fault fault) {
    fault.shard = static_cast<std::int64_t>(at);
    fault.path = path_of(found_.file_of(at));
    fault.set_by = reference_.set_by;
    faults_.push_back(std::move(fault));
  }

  const Found& found_;
  const Scanned& scanned_;
  const Reference& reference_;
  const std::optional<DType>& cast_;
  std::vector<Fault> faults_;
  mutable std::int64_t sharing_ = 0;  // counted once, for all messages
};

}  // namespace

std::optional<Reference> choose_reference(const Found& found, const Scanned& scanned) {
  if (found.dtype && found.trailing_shape) return Reference{*found.dtype, *found.trailing_shape, false, found.set_by};
  if (const Layout* const most = majority(scanned)) {
    const bool stated = found.dtype.has_value() || found.trailing_shape.has_value();
    return Reference{found.dtype.value_or(most->dtype), found.trailing_shape.value_or(most->trailing_shape), false,
                     stated ? found.set_by : "majority"};
  }
  const auto sound = std::ranges::find_if(scanned.records, &Record::sound);
  if (sound == scanned.records.end()) return std::nullopt;
  const bool alone = found.single && scanned.records.size() == 1;  // else several shards, all of them 0-d
  return Reference{scanned.layout_of(*sound).dtype, {}, alone, "majority"};
}

std::vector<Fault> compare_with_reference(const Found& found, const Scanned& scanned, const Reference& reference,
                                          const std::optional<DType>& cast) {
  return Comparison(found, scanned, reference, cast).run();
}

}  // namespace loadstone::loader
