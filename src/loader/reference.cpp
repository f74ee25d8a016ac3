#include "loader/reference.hpp"

#include "core/text.hpp"
#include "core/transfer.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace loadstone::loader {
namespace {

Shape trailing_of(const Record& record) { return {record.described.shape.begin() + 1, record.described.shape.end()}; }

bool votes(const Record& record) { return record.sound() && !record.described.shape.empty(); }

/// The shard whose class most share; the first of those.
const Record* majority(std::span<const Record> records) {
  struct Class {
    const Record* first;
    std::int64_t votes;
  };
  std::vector<Class> classes;  // few: by the order of their first shard
  for (const Record& record : records) {
    if (!votes(record)) continue;
    const auto known = std::ranges::find_if(classes, [&](const Class& c) {
      return c.first->described.dtype.native() == record.described.dtype.native() &&
             std::ranges::equal(std::span(c.first->described.shape).subspan(1),
                                std::span(record.described.shape).subspan(1));
    });
    if (known == classes.end()) {
      classes.push_back({&record, 1});
    } else {
      ++known->votes;
    }
  }
  const auto most = std::ranges::max_element(classes, {}, &Class::votes);
  return most == classes.end() ? nullptr : most->first;
}

/// One comparison of a shard with the reference.
class Comparison {
 public:
  Comparison(const Found& found, std::span<const Record> records, const Reference& reference,
             const std::optional<DType>& cast)
      : found_(found), records_(records), reference_(reference), cast_(cast) {}

  std::vector<Fault> run() {
    for (std::size_t at = 0; at < records_.size(); ++at) {
      if (records_[at].sound()) compare(at);
    }
    return std::move(faults_);
  }

 private:
  void compare(std::size_t at) {
    const formats::Description& shard = records_[at].described;
    if (reference_.scalar) return;
    if (shard.shape.empty()) return add(at, scalar());
    const bool dtype_differs = !dtype_fits(shard.dtype);
    if (dtype_differs) add(at, differing_dtype(shard.dtype));
    if (shard.shape.size() != reference_.trailing_shape.size() + 1) {
      add(at, differing_ndim(shard.shape));
    } else if (trailing_of(records_[at]) != reference_.trailing_shape) {
      add(at, differing_trailing(trailing_of(records_[at])));
    } else if (!dtype_differs) {
      compare_rows(at, shard.shape.front());
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

  static Fault scalar() {
    Fault fault = make_fault("shard.scalar", "it is 0-d and has no rows to stack", "Leave it out, or load it alone.");
    fault.got = Shape{};
    return fault;
  }

  [[nodiscard]] Fault differing_dtype(const DType& dtype) const {
    Fault fault = make_fault(
        "shard.dtype", fmt::format("its type is {}, that of {} is {}", dtype.name(), who(), reference_.dtype.name()),
        "Rewrite this shard, leave it out, or ask for one type with dtype.");
    fault.wanted = reference_.dtype.str();
    fault.got = dtype.str();
    return fault;
  }

  [[nodiscard]] Fault differing_ndim(const Shape& shape) const {
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
    const auto like = [&](const Record& record) {
      return votes(record) && record.described.dtype.native() == reference_.dtype.native() &&
             trailing_of(record) == reference_.trailing_shape;
    };
    if (sharing_ == 0) sharing_ = std::ranges::count_if(records_, like);
    return fmt::format("{} of {}", grouped(sharing_), counted(static_cast<std::int64_t>(records_.size()), "shard"));
  }

  void add(std::size_t at, Fault fault) {
    fault.shard = static_cast<std::int64_t>(at);
    fault.path = path_of(found_.files[at]);
    fault.set_by = reference_.set_by;
    faults_.push_back(std::move(fault));
  }

  const Found& found_;
  std::span<const Record> records_;
  const Reference& reference_;
  const std::optional<DType>& cast_;
  std::vector<Fault> faults_;
  mutable std::int64_t sharing_ = 0;  // counted once, for all messages
};

}  // namespace

std::optional<Reference> choose_reference(const Found& found, std::span<const Record> records) {
  const Record* most = majority(records);
  if (found.dtype && found.trailing_shape) return Reference{*found.dtype, *found.trailing_shape, false, found.set_by};
  if (most != nullptr) {
    const bool stated = found.dtype.has_value() || found.trailing_shape.has_value();
    return Reference{found.dtype.value_or(most->described.dtype), found.trailing_shape.value_or(trailing_of(*most)),
                     false, stated ? found.set_by : "majority"};
  }
  const bool alone = found.single && records.size() == 1 && records.front().sound();
  if (alone) return Reference{records.front().described.dtype, {}, true, "majority"};
  if (std::ranges::none_of(records, &Record::sound)) return std::nullopt;
  return Reference{records.front().described.dtype, {}, false, "majority"};  // several shards, all of them 0-d
}

std::vector<Fault> compare_with_reference(const Found& found, std::span<const Record> records,
                                          const Reference& reference, const std::optional<DType>& cast) {
  return Comparison(found, records, reference, cast).run();
}

}  // namespace loadstone::loader
