// Any bytes as a sidecar, of raw and of other shards; what it says then describes a raw file of some bytes.
#include "formats/manifest.hpp"
#include "formats/npy_bytes.hpp"
#include "fuzz_check.hpp"

namespace {

using namespace loadstone;

void describe(const formats::Sidecar& sidecar, std::int64_t offset, std::optional<std::int64_t> rows) {
  static const formats::Driver* const driver = formats::find_driver("raw").value();
  formats::DescribeContext context;
  context.raw = formats::RawLayout{.dtype = *sidecar.dtype,
                                   .trailing_shape = *sidecar.trailing_shape,
                                   .order = sidecar.order,
                                   .header_bytes = offset,
                                   .rows = rows,
                                   .allow_tail = false};
  const formats::MemorySource source(std::string(96, '\0'));
  const auto result = driver->describe(source, context);
  if (!result.ok()) return fuzz::demand_told(result.status().failure());
  fuzz::demand(result->nbytes <= source.size() - std::min(result->data_offset, source.size()), "the payload is there");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const bool needs_layout : {true, false}) {
    const auto result = formats::parse_sidecar(
        fuzz::text_of(data, size), needs_layout ? formats::SidecarNeeds{} : formats::SidecarNeeds::nothing(), Limits{});
    if (!result.ok()) {
      fuzz::demand_told(result.status().failure());
      continue;
    }
    if (!needs_layout) continue;
    describe(*result, result->header_bytes.value_or(0), result->rows_each);
    for (const formats::SidecarRange& range : result->ranges) {
      fuzz::demand(!formats::why_not_a_name(result->range_paths.at(static_cast<std::size_t>(range.path)), Limits{}),
                   "paths stay inside");
      describe(*result, range.offset, range.rows);
    }
  }
  return 0;
}
