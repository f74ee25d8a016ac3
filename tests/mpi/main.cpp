// Main of tests under a launcher: checks the size of the world that is expected, and lets rank 0 alone tell of
// successes.
#include "mpi/world.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

namespace {

/// On other ranks than 0: failures only.
class FailurePrinter final : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    std::cerr << "rank " + std::to_string(rank_) + ": " + (test == nullptr ? "" : test->name()) + " " +
                     (result.file_name() == nullptr ? "" : result.file_name()) + ":" +
                     std::to_string(result.line_number()) + ": " + result.message() + "\n";
  }

 private:
  int rank_;
};

int expected_ranks(int argc, char** argv) {
  constexpr std::string_view kFlag = "--ranks=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with(kFlag)) return std::atoi(word.substr(kFlag.size()).data());
  }
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const auto& world = loadstone::test::world();
  if (world->size() != expected_ranks(argc, argv)) {
    std::cerr << "a world of " << world->size() << ", not of --ranks=" << expected_ranks(argc, argv) << "\n";
    return 1;
  }
  if (world->rank() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(std::make_unique<FailurePrinter>(world->rank()).release());
  }
  return RUN_ALL_TESTS();
}
