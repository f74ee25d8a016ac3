#include "io/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <string>
#include <utility>

#include "io/directory.hpp"
#include "io/roots.hpp"
#include "support/child.hpp"
#include "support/temp_dir.hpp"

namespace loadstone::io {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

bool standard_streams_are_free() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) return false;
  }
  return true;
}

TEST(OutputFile, NeverStandsWhereAClosedStandardStreamWas_IO4) {
  const test::TempDir directory;
  const auto child = [&] {
    for (int fd = 0; fd <= 2; ++fd) ::close(fd);
    const auto lock = DirectoryLock::take(directory.path().string());
    if (!lock.ok() || !standard_streams_are_free()) return 1;
    auto file = OutputFile::create(directory.path().string(), "shard", 4);
    if (!file.ok() || !standard_streams_are_free()) return 2;
    if (::write(STDOUT_FILENO, "a print", 7) >= 0) return 7;
    if (!file->append(bytes_of("data")).ok() || !file->sync().ok() || !file->publish(false).ok()) return 3;
    if (!sync_directory(directory.path().string()).ok()) return 4;
    const Opener opener({directory.path().string()});
    if (!standard_streams_are_free()) return 5;
    return opener.open({directory.path().string(), "shard"}).ok() && standard_streams_are_free() ? 0 : 6;
  };
  EXPECT_EQ(test::in_child(child), 0);
  EXPECT_EQ(test::read_file(directory / "shard"), "data");
}

TEST(Directory, IsListedWithClosedStandardStreams_IO4) {
  const test::TempDir directory;
  directory.write("one", "1");
  const auto child = [&] {
    for (int fd = 0; fd <= 2; ++fd) ::close(fd);
    const auto entries = list_directory(directory.path().string());
    return entries.ok() && entries->size() == 1 && standard_streams_are_free() ? 0 : 1;
  };
  EXPECT_EQ(test::in_child(child), 0);
}

}  // namespace
}  // namespace loadstone::io
