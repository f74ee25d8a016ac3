#include "comm/agree.hpp"
#include "comm/faults.hpp"
#include "core/guarded.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace loadstone::comm {
namespace {

/// Part of a text around its first difference from another, for people.
std::string around(std::string_view text, std::size_t difference) {
  constexpr std::size_t kBefore = 40;
  if (difference <= 2 * kBefore) return escape(text);
  return "..." + escape(text.substr(std::min(difference - kBefore, text.size())));
}

Failure differ_failure(std::string_view what, std::string_view first, std::string_view other, int rank) {
  const auto ends = std::mismatch(first.begin(), first.end(), other.begin(), other.end());
  const auto difference = static_cast<std::size_t>(ends.first - first.begin());
  const std::string wanted = around(first, difference);
  const std::string got = around(other, difference);
  Failure failure =
      one_fault(Code::mismatch, "ranks.differ",
                fmt::format("the ranks differ in {}: rank 0 has {}, rank {} has {}", what, wanted, rank, got),
                "Call with the same arguments on every rank.");
  Fault& fault = failure.faults.front();
  fault.item = what;
  fault.wanted = wanted;
  fault.got = got;
  return failure;
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

std::string_view text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Status Agreement::same_everywhere(std::string_view what, std::string_view text, std::string_view phase, Status ready) {
  const Hash128 hash = xxh3_128(std::as_bytes(std::span(text)));
  const auto high = static_cast<std::int64_t>(hash.high);
  const auto low = static_cast<std::int64_t>(hash.low);
  std::array<std::int64_t, 5> most{high, ~high, low, ~low, ready.ok() ? 0 : 1};  // max of ~x is ~min of x
  if (Status status = allreduce(most, Reduce::max); !status.ok()) return status;
  if (most[4] != 0) return verdict(phase, std::move(ready));
  if (most[0] == ~most[1] && most[2] == ~most[3]) return {};
  std::vector<std::byte> first = patiently([&] { return bytes_of(text); });
  if (Status status = broadcast(first, 0, phase); !status.ok()) return status;
  std::int64_t differs = text == text_of(first) ? size() : rank();
  if (Status status = allreduce({&differs, 1}, Reduce::min); !status.ok()) return status;
  std::vector<std::byte> other = patiently([&] { return bytes_of(text); });
  if (Status status = broadcast(other, static_cast<int>(differs), phase); !status.ok()) return status;
  return patiently([&] { return differ_failure(what, text_of(first), text_of(other), static_cast<int>(differs)); });
}

}  // namespace loadstone::comm
