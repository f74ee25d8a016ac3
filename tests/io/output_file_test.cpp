#include "io/output_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

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

// ---- names --------------------------------------------------------------------------------------------------------

int refuse_with(int error) {
  errno = error;
  return -1;
}
int invalid(const char* /*from*/, const char* /*to*/) { return refuse_with(EINVAL); }
int not_there(const char* /*from*/, const char* /*to*/) { return refuse_with(ENOSYS); }
int forbidden(const char* /*from*/, const char* /*to*/) { return refuse_with(EPERM); }

OutputFile written(const test::TempDir& directory, std::string_view text) {
  auto file = OutputFile::create(directory.path().string(), "shard", 0);
  EXPECT_TRUE(file.ok() && file->append(bytes_of(text)).ok() && file->sync().ok());
  return std::move(file).value();
}

TEST(OutputFile, IsLinkedWhereNoRenameKeepsOthers) {
  for (const NamingCalls& calls : {NamingCalls{&invalid, &::link}, NamingCalls{&not_there, &::link}}) {
    const test::TempDir directory;
    EXPECT_TRUE(written(directory, "first").publish(false, calls).ok());
    const Status refused = written(directory, "second").publish(false, calls);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.code(), Code::refused);
    EXPECT_EQ(test::names_in(directory.path()), std::vector<std::string>{"shard"}) << "no temporary is left";
    EXPECT_EQ(test::read_file(directory / "shard"), "first");
  }
}

TEST(OutputFile, SaysSoWhereTheFileSystemCannotKeepOthers) {
  const test::TempDir directory;
  const Status refused = written(directory, "data").publish(false, {&invalid, &forbidden});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.code(), Code::unsupported);
  EXPECT_EQ(refused.failure().first().kind, "write.naming");
  EXPECT_EQ(refused.failure().first().path, directory / "shard");
  EXPECT_TRUE(test::names_in(directory.path()).empty());
}

TEST(OutputFile, ReplacesOnlyWhereItIsMeantTo) {
  const test::TempDir directory;
  EXPECT_TRUE(written(directory, "first").publish(false).ok());
  EXPECT_EQ(written(directory, "second").publish(false).code(), Code::refused);
  EXPECT_EQ(test::read_file(directory / "shard"), "first");
  EXPECT_TRUE(written(directory, "third").publish(true).ok());
  EXPECT_EQ(test::read_file(directory / "shard"), "third");
}

// ---- faults -------------------------------------------------------------------------------------------------------

TEST(WriteFault, MeansWhatTheTableSays) {
  for (const int error : {ENOSPC, EDQUOT, EROFS}) {
    const Fault fault = write_fault("writing 5 bytes at 7", "/d/shard", error, WriteNeed{5, "/"});
    EXPECT_EQ(fault.code, Code::no_space) << error;
    EXPECT_EQ(fault.path, "/d/shard");
    EXPECT_EQ(fault.system_errno, error);
    EXPECT_EQ(std::get<std::int64_t>(fault.wanted), 5);
    EXPECT_GE(std::get<std::int64_t>(fault.got), 0);
    EXPECT_THAT(fault.message, testing::StartsWith("writing 5 bytes at 7: "));
    EXPECT_THAT(fault.message, testing::HasSubstr("; 5 bytes are needed, "));
  }
  EXPECT_EQ(write_fault("", "", EIO).code, Code::io);
  EXPECT_EQ(write_fault("", "", EEXIST).code, Code::refused);
  EXPECT_THAT(write_fault("", "", EROFS).remedy.text(), testing::HasSubstr("read-only"));
}

bool is_told(const Status& status, std::int64_t wanted) {
  if (status.ok() || status.code() != Code::no_space) return false;
  const Fault& fault = status.failure().first();
  return fault.wanted == Value(wanted) && std::holds_alternative<std::int64_t>(fault.got);
}

TEST(OutputFile, ADiskThatIsTooSmallIsFoundBeforeTheFirstByte) {
  const test::TempDir directory;
  constexpr std::int64_t kPebibyte = std::int64_t{1} << 50;
  const auto file = OutputFile::create(directory.path().string(), "large", kPebibyte);
  if (file.ok()) GTEST_SKIP() << "this file system does not reserve";
  EXPECT_TRUE(is_told(file.status(), kPebibyte));
  EXPECT_TRUE(test::names_in(directory.path()).empty());
}

/// A limit on the size of files stands for a full disk.
TEST(OutputFile, NoSpaceTellsBytesWantedAndFree) {
  const test::TempDir directory;
  const auto child = [&] {
    constexpr std::int64_t kMost = std::int64_t{64} * 1024;
    static_cast<void>(::signal(SIGXFSZ, SIG_IGN));
    const rlimit limit = {kMost, kMost};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    auto file = OutputFile::create(directory.path().string(), "shard", 0);
    if (!file.ok()) return 3;
    return is_told(file->append(test::pattern(kMost + 4096)), 4096) ? 0 : 4;
  };
  EXPECT_EQ(test::in_child(child), 0);
}

TEST(OutputFile, HasRoomForWhatFits) {
  EXPECT_TRUE(has_room_for("/tmp", 0).ok());
  const Status refused = has_room_for("/tmp", std::int64_t{1} << 62);
  ASSERT_EQ(refused.code(), Code::no_space);
  EXPECT_EQ(refused.failure().first().wanted, Value(std::int64_t{1} << 62));
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
