#include "loader/notices.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace loadstone::loader {
namespace {

TEST(Notices, AreToldOnceOverAllThreadsAndFiles_IO11) {
  const std::string reason = "direct refused on the class of this test: EINVAL";
  std::mutex mutex;
  std::vector<std::string> told;
  const Log log = [&](const std::string& text) {
    const std::scoped_lock lock(mutex);
    told.push_back(text);
  };
  announce({{reason, 5}}, {});
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { announce({{reason, 3}, {"met by nobody", 0}}, log); });
  }
  EXPECT_EQ(told, std::vector<std::string>{reason}) << "and not marked as told where nobody listened";
  announce({{reason, 1}, {reason + " of another", 1}}, log);
  EXPECT_EQ(told.size(), 2U);
}

}  // namespace
}  // namespace loadstone::loader
