// What a load changes of the process: nothing, where mapped copies are switched off. A program of its own, as the
// handler that another test has had installed stays.
#include <gtest/gtest.h>
#include <loadstone/loadstone.hpp>

#include <csignal>
#include <cstddef>
#include <memory>
#include <vector>

#include "support/index_shards.hpp"

namespace loadstone {
namespace {

const Shape kShape = {8192, 1024};

/// Of SIGBUS; a sanitizer may have put one there.
auto handler_of_bus_errors() {
  struct sigaction now = {};
  EXPECT_EQ(::sigaction(SIGBUS, nullptr, &now), 0);
  return now.sa_sigaction;
}

/// Loads files that are in the page cache into memory that is there: what mapped copies are for. Bytes read by them.
std::int64_t mapped_bytes_of_a_warm_load(const test::TempDir& directory, const char* mapped) {
  const auto bytes = static_cast<std::size_t>((kShape[0] * kShape[1]) * 4);
  const auto memory = std::make_shared<std::vector<std::byte>>(bytes, std::byte{1});
  LoadOptions options;
  options.io.mapped = mapped;
  options.out = Destination{*memory, memory, {}, {}};
  const DistributedArray array = load({directory.path().string()}, options);
  EXPECT_EQ(test::first_wrong_element<std::int32_t>(array), -1);
  const auto found = array.stats.bytes_by_way.find("mapped");
  return found == array.stats.bytes_by_way.end() ? 0 : found->second;
}

TEST(MappedOff, NeverInstallsTheHandler_IO21_M7) {
  const test::TempDir directory;
  WriteOptions options;  // on the device when it returns: what is dirty is never mapped
  options.shape = kShape;
  options.dtype = parse_dtype("int32").value();
  options.fill = "index";
  write(directory.path().string(), options);
  const auto before = handler_of_bus_errors();
  EXPECT_EQ(mapped_bytes_of_a_warm_load(directory, "off"), 0);
  EXPECT_EQ(handler_of_bus_errors(), before);
  if (mapped_bytes_of_a_warm_load(directory, "auto") == 0) GTEST_SKIP() << "nothing is mapped here in any case";
  EXPECT_NE(handler_of_bus_errors(), before) << "the test sees a handler";
}

}  // namespace
}  // namespace loadstone
