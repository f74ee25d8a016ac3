#include "cli/commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>

namespace loadstone::cli {
namespace {

using testing::HasSubstr;

/// Points TMPDIR at a new directory while it lives.
class OwnTemporary {
 public:
  OwnTemporary() {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary directory");
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", path_.c_str(), 1);
  }
  ~OwnTemporary() {
    if (before_.empty()) {
      ::unsetenv("TMPDIR");
    } else {
      ::setenv("TMPDIR", before_.c_str(), 1);
    }
    std::filesystem::remove_all(path_);
  }
  OwnTemporary(const OwnTemporary&) = delete;
  OwnTemporary& operator=(const OwnTemporary&) = delete;
  [[nodiscard]] bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::string path_ = testing::TempDir() + "loadstone-cli-XXXXXX";
  std::string before_;
};

std::size_t characters(const std::string& line) {
  std::size_t count = 0;
  for (const char c : line) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

Report demo(bool json) {
  Arguments arguments;
  arguments.command = "demo";
  arguments.quiet = true;
  arguments.json = json;
  return run_demo(arguments, {.comm = self_communicator(), .stop = {}, .line = nullptr, .launched = false});
}

TEST(Demo, LeavesNothingAndFitsOnAScreen) {
  const OwnTemporary temporary;
  const Report report = demo(false);
  EXPECT_TRUE(temporary.empty());
  EXPECT_THAT(report.text, HasSubstr("equal"));
  std::istringstream lines(report.text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(characters(line), 100U) << line;
}

TEST(Demo, JsonHasEachCommandsPartInTurn) {
  const OwnTemporary temporary;
  std::vector<std::string> keys;
  for (const auto& [key, part] : demo(true).parts) keys.push_back(key);
  EXPECT_THAT(keys, testing::ElementsAre("written", "dataset", "plan", "stats", "digest", "verify", "removed", "kept"));
}

}  // namespace
}  // namespace loadstone::cli
