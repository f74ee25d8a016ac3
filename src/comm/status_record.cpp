#include "comm/status_record.hpp"

#include "comm/faults.hpp"

#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace loadstone::comm {
namespace {

constexpr std::int64_t kMagic = 0x3244524f43455253;  // changes with the layout

class Writer {
 public:
  void number(std::int64_t value) {
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<std::int64_t>(value.size()));
    const auto* first = reinterpret_cast<const std::byte*>(value.data());
    bytes_.insert(bytes_.end(), first, first + value.size());
  }
  void optional(const std::optional<std::int64_t>& value) {
    number(value ? 1 : 0);
    if (value) number(*value);
  }
  void shape(const std::vector<std::int64_t>& value) {
    number(static_cast<std::int64_t>(value.size()));
    for (const std::int64_t extent : value) number(extent);
  }
  void any(const Value& value) {
    number(static_cast<std::int64_t>(value.index()));
    if (const auto* integer = std::get_if<std::int64_t>(&value)) number(*integer);
    if (const auto* words = std::get_if<std::string>(&value)) text(*words);
    if (const auto* extents = std::get_if<std::vector<std::int64_t>>(&value)) shape(*extents);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Throws std::out_of_range on bytes that no writer wrote.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::int64_t number() {
    std::int64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() {
    const auto bytes = take(count(1));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::optional<std::int64_t> optional() {
    if (number() == 0) return std::nullopt;
    return number();
  }
  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> value(count(sizeof(std::int64_t)));
    for (std::int64_t& extent : value) extent = number();
    return value;
  }
  Value any() {
    switch (number()) {
      case 0:
        return {};
      case 1:
        return number();
      case 2:
        return text();
      case 3:
        return shape();
      default:
        throw std::out_of_range("value");
    }
  }
  /// A number of things of at least `nbytes` each that the rest can hold.
  std::size_t count(std::size_t nbytes) {
    const std::int64_t value = number();
    if (value < 0 || static_cast<std::uint64_t>(value) > bytes_.size() / nbytes) throw std::out_of_range("count");
    return static_cast<std::size_t>(value);
  }
  [[nodiscard]] bool at_end() const noexcept { return bytes_.empty(); }

 private:
  std::span<const std::byte> take(std::size_t nbytes) {
    if (nbytes > bytes_.size()) throw std::out_of_range("record");
    const auto head = bytes_.first(nbytes);
    bytes_ = bytes_.subspan(nbytes);
    return head;
  }
  std::span<const std::byte> bytes_;
};

void write_fault(Writer& out, const Fault& fault) {
  out.number(static_cast<std::int64_t>(fault.code));
  out.text(fault.remedy.marked());
  for (const std::string* text : {&fault.kind, &fault.message, &fault.path, &fault.item, &fault.set_by})
    out.text(*text);
  out.optional(fault.shard);
  out.optional(fault.offset);
  out.optional(fault.bytes);
  out.number(fault.system_errno);
  out.any(fault.wanted);
  out.any(fault.got);
}

Code code_of(std::int64_t value) {
  if (value < 0 || value > static_cast<std::int64_t>(Code::internal)) throw std::out_of_range("code");
  return static_cast<Code>(value);
}

Fault read_fault(Reader& in) {
  Fault fault;
  fault.code = code_of(in.number());
  fault.remedy = in.text();
  for (std::string* text : {&fault.kind, &fault.message, &fault.path, &fault.item, &fault.set_by}) *text = in.text();
  fault.shard = in.optional();
  fault.offset = in.optional();
  fault.bytes = in.optional();
  fault.system_errno = static_cast<int>(in.number());
  fault.wanted = in.any();
  fault.got = in.any();
  return fault;
}

Failure read_failure(Reader& in) {
  if (in.number() != kMagic) throw std::out_of_range("magic");
  Failure failure;
  failure.total_faults = in.number();
  failure.phase = in.text();
  failure.round = in.number();
  failure.rank = static_cast<int>(in.number());
  failure.faults.resize(in.count(sizeof(std::int64_t)));
  for (Fault& fault : failure.faults) fault = read_fault(in);
  failure.notes.resize(in.count(sizeof(std::int64_t)));
  for (std::string& note : failure.notes) note = in.text();
  if (failure.faults.empty() || !in.at_end()) throw std::out_of_range("length");
  return failure;
}

}  // namespace

std::vector<std::byte> encode_failure(const Failure& failure) {
  Writer out;
  out.number(kMagic);
  out.number(failure.total_faults);
  out.text(failure.phase);
  out.number(failure.round);
  out.number(failure.rank);
  out.number(static_cast<std::int64_t>(failure.faults.size()));
  for (const Fault& fault : failure.faults) write_fault(out, fault);
  out.number(static_cast<std::int64_t>(failure.notes.size()));
  for (const std::string& note : failure.notes) out.text(note);
  return out.take();
}

Failure decode_failure(std::span<const std::byte> record) {
  try {
    Reader in(record);
    return read_failure(in);
  } catch (const std::out_of_range&) {
    return one_fault(Code::internal, "comm.record", "the record of another rank's failure cannot be read",
                     "Run the same version of Loadstone on all ranks.");
  }
}

}  // namespace loadstone::comm
