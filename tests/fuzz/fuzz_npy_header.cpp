// Any bytes as a .npy file: an answer within the file, or a fault told in full; what is accepted reads back equal.
#include "core/checked.hpp"
#include "formats/npy.hpp"
#include "formats/npy_bytes.hpp"
#include "fuzz_check.hpp"

#include <limits>

namespace {

using namespace loadstone;

void demand_reads_back(const formats::Description& found) {
  const std::string header = formats::write_npy_header(found.dtype, found.shape);
  const auto again =
      formats::parse_npy_header(formats::bytes_of(header), std::numeric_limits<std::int64_t>::max(), Limits{});
  const bool room = checked_add(std::ssize(header), found.nbytes).has_value();
  fuzz::demand(again.ok() == room, "what is accepted can be written");
  if (!again.ok()) return;
  fuzz::demand(again->dtype == found.dtype && again->shape == found.shape, "what is written reads back equal");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const formats::MemorySource source{std::string(fuzz::text_of(data, size))};
  static const formats::Driver* const driver = formats::find_driver("npy").value();
  const auto result = driver->describe(source, {});
  const auto bytes = static_cast<std::int64_t>(size);
  if (!result.ok()) {
    fuzz::demand_told(result.status().failure());
    return 0;
  }
  fuzz::demand(result->data_offset <= bytes && result->nbytes <= bytes - result->data_offset, "the payload is there");
  fuzz::demand(checked_nbytes(result->shape, result->dtype.itemsize) == result->nbytes,
               "the bytes are those of the shape");
  demand_reads_back(*result);
  return 0;
}
