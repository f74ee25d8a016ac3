// Any bytes as a manifest: what is accepted keeps the rules DS24 to DS27 and is written and read back the same.
#include "formats/manifest.hpp"
#include "fuzz_check.hpp"

using namespace loadstone;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto result = formats::parse_manifest(fuzz::text_of(data, size), Limits{});
  if (!result.ok()) {
    fuzz::demand_told(result.status().failure());
    return 0;
  }
  for (const formats::ManifestShard& shard : result->shards) {
    fuzz::demand(!formats::why_not_a_name(shard.name, Limits{}), "names stay inside");
    fuzz::demand(shard.rows >= 0 && shard.bytes >= 0 && shard.xxh3_128.size() == 32, "a shard is whole");
  }
  const std::string text = formats::write_manifest(*result);
  const auto again = formats::parse_manifest(text, Limits{});
  fuzz::demand(again.ok(), "what is written is read");
  fuzz::demand(formats::write_manifest(*again) == text, "same manifest, same bytes");
  return 0;
}
