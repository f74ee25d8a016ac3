#include "core/copy_loops.hpp"

#include <algorithm>
#include <cstdlib>

namespace loadstone {
namespace {

// A chain takes in axes until it has this many steps: enough for the longest side of a tile.
constexpr std::int64_t kEnoughSteps = 512;

/// Sorted by the target's stride, largest first, so that writes walk forward; axes that are one on both sides are made
/// one.
std::vector<CopyAxis> merge_axes(std::span<const CopyAxis> axes) {
  std::vector<CopyAxis> sorted;
  for (const CopyAxis& axis : axes) {
    if (axis.count != 1) sorted.push_back(axis);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const CopyAxis& a, const CopyAxis& b) {
    return std::abs(a.target_stride) > std::abs(b.target_stride);
  });
  std::vector<CopyAxis> merged;
  for (const CopyAxis& axis : sorted) {
    CopyAxis* const before = merged.empty() ? nullptr : &merged.back();
    if (before != nullptr && before->source_stride == axis.source_stride * axis.count &&
        before->target_stride == axis.target_stride * axis.count) {
      *before = {before->count * axis.count, axis.source_stride, axis.target_stride};
    } else {
      merged.push_back(axis);
    }
  }
  return merged;
}

/// Moves the axes of a chain, dense on one side, out of `axes`: the one with the smallest stride there, and those that
/// continue it.
AxisChain take_chain(std::vector<CopyAxis>& axes, std::int64_t CopyAxis::* near, std::int64_t CopyAxis::* far) {
  AxisChain chain(far);
  auto next = std::min_element(axes.begin(), axes.end(), [near](const CopyAxis& a, const CopyAxis& b) {
    return std::abs(a.*near) < std::abs(b.*near);
  });
  while (next != axes.end()) {
    const std::int64_t continued = (*next).*near * next->count;
    chain.add(*next);
    axes.erase(next);
    next = chain.count() >= kEnoughSteps
               ? axes.end()
               : std::find_if(axes.begin(), axes.end(), [=](const CopyAxis& axis) { return axis.*near == continued; });
  }
  return chain;
}

}  // namespace

void AxisChain::add(const CopyAxis& axis) {
  axes_.push_back(axis);
  count_ *= axis.count;
}

void AxisChain::offsets(std::int64_t first, std::span<std::int64_t> offsets) const {
  std::vector<std::int64_t> at;
  std::int64_t offset = 0;
  for (const CopyAxis& axis : axes_) {
    at.push_back(first % axis.count);
    offset += at.back() * axis.*far_;
    first /= axis.count;
  }
  for (std::int64_t& out : offsets) {
    out = offset;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      offset += axes_[i].*far_;
      if (++at[i] < axes_[i].count) break;
      offset -= axes_[i].count * axes_[i].*far_;
      at[i] = 0;
    }
  }
}

CopyLoops order_loops(std::span<const CopyAxis> axes, ItemSizes items, std::int64_t tiled_run_bytes) {
  CopyLoops loops;
  loops.outer = merge_axes(axes);
  if (loops.outer.empty()) return loops;
  const CopyAxis inner = loops.outer.back();
  if (inner.source_stride == items.source && inner.target_stride == items.target) {
    loops.run = inner.count;
    loops.outer.pop_back();
    if (loops.outer.empty()) return loops;
  }
  const CopyAxis& row = loops.outer.back();
  const bool source_agrees = std::none_of(loops.outer.begin(), loops.outer.end(), [&](const CopyAxis& axis) {
    return std::abs(axis.source_stride) < std::abs(row.source_stride);
  });
  if (source_agrees || loops.run * std::max(items.source, items.target) >= tiled_run_bytes) {
    loops.along.add(row);
    loops.outer.pop_back();
    return loops;
  }
  loops.tiled = true;
  // The source's own axis is kept from the target's chain, which might take it otherwise.
  const auto near = std::min_element(loops.outer.begin(), loops.outer.end(), [](const CopyAxis& a, const CopyAxis& b) {
    return std::abs(a.source_stride) < std::abs(b.source_stride);
  });
  const CopyAxis kept = *near;
  loops.outer.erase(near);
  loops.along = take_chain(loops.outer, &CopyAxis::target_stride, &CopyAxis::source_stride);
  loops.outer.push_back(kept);
  loops.down = take_chain(loops.outer, &CopyAxis::source_stride, &CopyAxis::target_stride);
  std::stable_sort(loops.outer.begin(), loops.outer.end(), [](const CopyAxis& a, const CopyAxis& b) {
    return std::abs(a.target_stride) > std::abs(b.target_stride);
  });
  return loops;
}

}  // namespace loadstone
