#include "trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <random>
#include <span>

namespace bench {
namespace {

using loadstone::Casting;
using loadstone::CopyAxis;
using loadstone::CopyKernels;
using loadstone::CopyThresholds;

/// Calls `visit(source offset, target offset)` for each element.
template <class Visit>
void for_each_element(const std::vector<CopyAxis>& axes, const Visit& visit) {
  std::vector<std::int64_t> at(axes.size(), 0);
  std::int64_t source = 0;
  std::int64_t target = 0;
  while (true) {
    visit(source, target);
    std::size_t axis = at.size();
    while (axis > 0) {
      const CopyAxis& step = axes[axis - 1];
      source += step.source_stride;
      target += step.target_stride;
      if (++at[axis - 1] < step.count) break;
      source -= step.count * step.source_stride;
      target -= step.count * step.target_stride;
      at[--axis] = 0;
    }
    if (axis == 0) return;
  }
}

constexpr std::byte kUnwritten{0xA5};

/// Random bits: numbers of all sizes, infinities and NaN among them.
void fill(std::span<std::byte> bytes) {
  std::mt19937_64 random(1);
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random();
    std::memcpy(bytes.data() + at, &word, sizeof(word));
  }
}

/// Bytes by which the next part begins further on.
std::int64_t extent(const Trial& trial, std::int64_t CopyAxis::* stride, std::int64_t itemsize) {
  for (const CopyAxis& axis : trial.axes) itemsize = std::max(itemsize, axis.count * axis.*stride);
  return itemsize;
}

/// One element by the plainest way there is.
std::array<std::byte, 16> wanted_element(const Trial& trial, const std::byte* source) {
  std::array<std::byte, 16> element{};
  if (trial.source.native() != trial.target) {
    loadstone::copy_elements(source, trial.source, element.data(), trial.target, {}, Casting::lossy,
                             {.kernels = loadstone::find_kernels("generic")});
    return element;
  }
  const std::int64_t word = trial.source.is_native() ? 1 : trial.source.swap_unit();
  for (std::int64_t at = 0; at < trial.source.itemsize; at += word) {
    std::reverse_copy(source + at, source + at + word, element.data() + at);
  }
  return element;
}

}  // namespace

Places make_places(std::int64_t bytes) {
  Places places{Memory(bytes, true), Memory(bytes, true)};
  fill(places.source.bytes());
  return places;
}

std::int64_t payload_bytes(const Trial& trial) {
  std::int64_t bytes = trial.target.itemsize * trial.parts;
  for (const CopyAxis& axis : trial.axes) bytes *= axis.count;
  return bytes;
}

void carry_out(const Trial& trial, const Places& places, const CopyKernels& kernels) {
  const std::int64_t source_step = extent(trial, &CopyAxis::source_stride, trial.source.itemsize);
  const std::int64_t target_step = extent(trial, &CopyAxis::target_stride, trial.target.itemsize);
  const std::byte* source = places.source.bytes().data();
  std::byte* target = places.target.bytes().data();
  const loadstone::CopyWay way{&kernels, payload_bytes(trial), trial.thresholds};
  for (std::int64_t part = 0; part < trial.parts; ++part, source += source_step, target += target_step) {
    loadstone::copy_elements(source, trial.source, target, trial.target, trial.axes, Casting::lossy, way);
  }
}

std::string fault_of(const Trial& trial, const Places& places, const CopyKernels& kernels) {
  std::fill(places.target.bytes().begin(), places.target.bytes().end(), kUnwritten);
  carry_out(trial, places, kernels);
  std::string fault;
  const auto itemsize = static_cast<std::size_t>(trial.target.itemsize);
  std::vector<CopyAxis> axes = trial.axes;
  axes.push_back({trial.parts, extent(trial, &CopyAxis::source_stride, trial.source.itemsize),
                  extent(trial, &CopyAxis::target_stride, trial.target.itemsize)});
  for_each_element(axes, [&](std::int64_t from, std::int64_t to) {
    const auto wanted = wanted_element(trial, places.source.bytes().data() + from);
    if (fault.empty() && std::memcmp(wanted.data(), places.target.bytes().data() + to, itemsize) != 0) {
      fault = fmt::format("{}: the element at byte {} is not that at byte {} of the source", kernels.name, to, from);
    }
  });
  return fault;
}

CopyThresholds past_cache() {
  CopyThresholds thresholds;
  thresholds.stream_total_bytes = 0;
  thresholds.fenced_bytes = 0;
  return thresholds;
}

CopyThresholds in_cache() {
  CopyThresholds thresholds;
  thresholds.stream_total_bytes = std::numeric_limits<std::int64_t>::max();
  return thresholds;
}

}  // namespace bench
