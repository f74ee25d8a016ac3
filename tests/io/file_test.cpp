#include "io/file.hpp"

#include "io/faults.hpp"

#include "support/temp_dir.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

namespace loadstone::io {
namespace {

using test::TempDir;

const Fault& fault_of(const Result<Descriptor>& result) { return result.status().failure().first(); }

TEST(Opener, OpensATypedFileAboveTheStandardStreams) {
  const TempDir dir;
  const std::string path = dir.write("a", "hello");
  Result<Descriptor> file = Opener().open({"", path});
  ASSERT_TRUE(file.ok());
  EXPECT_GT(file->get(), 2);
  EXPECT_NE(::fcntl(file->get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(Opener, NeverUsesClosedStandardStreams) {  // fastsafetensors#102
  const TempDir dir;
  const std::string path = dir.write("a", "hello");
  const Descriptor saved(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  ::close(0);
  Result<Descriptor> file = Opener().open({"", path});
  Result<Descriptor> below = Opener().open({dir.path().string(), "a"});
  const bool zero_is_free = ::fcntl(0, F_GETFD) < 0;
  ::dup2(saved.get(), 0);
  ASSERT_TRUE(file.ok() && below.ok());
  EXPECT_GT(file->get(), 2);
  EXPECT_GT(below->get(), 2);
  EXPECT_TRUE(zero_is_free);
}

TEST(Opener, NamesWhatIsMissing) {
  const TempDir dir;
  const Result<Descriptor> missing = Opener().open({"", dir / "x/y/z"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(fault_of(missing).code, Code::not_found);
  EXPECT_EQ(fault_of(missing).kind, "path.missing");
  EXPECT_EQ(fault_of(missing).system_errno, ENOENT);
  EXPECT_NE(fault_of(missing).message.find(dir.path().string()), std::string::npos) << "nearest existing parent";
  dir.write("file", "x");
  EXPECT_EQ(fault_of(Opener().open({"", dir / "file/below"})).kind, "path.not_directory");
  const Result<Descriptor> listed = Opener().open({dir.path().string(), "gone"});
  EXPECT_EQ(fault_of(listed).kind, "shard.unreadable");
}

TEST(Opener, DanglingLinkSaysWhereItLeads) {
  const TempDir dir;
  std::filesystem::create_symlink("nowhere.npy", dir / "link");
  const Result<Descriptor> opened = Opener().open({dir.path().string(), "link"});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(fault_of(opened).kind, "shard.unreadable");
  EXPECT_NE(fault_of(opened).message.find("nowhere.npy"), std::string::npos);
}

TEST(Opener, TooManyOpenFilesAreNoFaultOfTheFile) {
  for (const int error : {EMFILE, ENFILE}) {
    for (const bool typed : {true, false}) {
      EXPECT_NE(open_fault("a.npy", error, typed, "").remedy.text().find("ulimit -n"), std::string::npos);
    }
  }
  EXPECT_EQ(open_fault("a.npy", EIO, false, "").remedy.text().find("ulimit"), std::string::npos);
}

TEST(Opener, RefusesAllButRegularFilesAtOnce_IO4_T7) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "folder");
  ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  (dir / "socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  std::filesystem::create_symlink("/dev/zero", dir / "device");
  struct Row {
    const char* name;
    const char* what;
  };
  for (const Row& row : {Row{"folder", "a directory"}, Row{"fifo", "a FIFO"}, Row{"socket", "a socket"}}) {
    for (const FileName& name : {FileName{"", dir / row.name}, FileName{dir.path().string(), row.name}}) {
      const auto started = std::chrono::steady_clock::now();
      const Result<Descriptor> opened = Opener().open(name);
      EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::milliseconds(100)) << row.name;
      ASSERT_FALSE(opened.ok()) << row.name;
      EXPECT_EQ(fault_of(opened).code, Code::not_regular) << row.name;
      EXPECT_EQ(fault_of(opened).got, Value(std::string(row.what)));
    }
  }
  EXPECT_EQ(fault_of(Opener().open({"", dir / "device"})).code, Code::not_regular);
}

TEST(Identity, NamesTheFirstFieldThatDiffers_IO6) {
  FileIdentity before;
  before.inode = 7;
  before.size = 100;
  before.mtime_ns = 5;
  before.ctime_ns = 6;
  struct Row {
    const char* field;
    void (*change)(FileIdentity&);
    bool only_strict;
  };
  const Row rows[] = {{"size", [](FileIdentity& i) { i.size = 99; }, false},
                      {"inode", [](FileIdentity& i) { i.inode = 8; }, false},
                      {"mtime_ns", [](FileIdentity& i) { i.mtime_ns = 9; }, false},
                      {"ctime_ns", [](FileIdentity& i) { i.ctime_ns = 9; }, true}};
  for (const Row& row : rows) {
    FileIdentity after = before;
    row.change(after);
    const Status strict = compare_identity(before, after, IdentityRule::strict, "a.npy");
    ASSERT_FALSE(strict.ok()) << row.field;
    EXPECT_EQ(strict.code(), Code::changed);
    EXPECT_EQ(strict.failure().first().item, row.field);
    EXPECT_EQ(compare_identity(before, after, IdentityRule::size_mtime, "a.npy").ok(), row.only_strict) << row.field;
  }
  FileIdentity elsewhere = before;
  elsewhere.device = 99;
  EXPECT_TRUE(compare_identity(before, elsewhere, IdentityRule::strict, "a.npy").ok()) << "devices are not compared";
  FileIdentity hashed = before;
  hashed.header_hash = 1;
  EXPECT_TRUE(compare_identity(before, hashed, IdentityRule::strict, "a.npy").ok()) << "only where both are known";
}

TEST(ReadAt, ReadsUpToTheEndOfTheFile) {
  const TempDir dir;
  const std::string path = dir.write("a", test::pattern(1000));
  Result<Descriptor> file = Opener().open({"", path});
  ASSERT_TRUE(file.ok());
  std::vector<std::byte> out(600);
  EXPECT_EQ(*read_at(file->get(), 100, out, path), 600);
  EXPECT_EQ(out[0], test::pattern_byte(100));
  EXPECT_EQ(*read_at(file->get(), 900, out, path), 100);
  EXPECT_EQ(*read_at(file->get(), 2000, out, path), 0);
}

TEST(ReadWhole, RefusesMoreThanTheCap) {
  const TempDir dir;
  dir.write("a", "0123456789");
  const Opener opener;
  const FileName name = {dir.path().string(), "a"};
  EXPECT_EQ(read_whole(opener, name, 10)->size(), 10U);
  const auto refused = read_whole(opener, name, 9);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), Code::too_large);
}

TEST(DescriptorPoolSize, IsAQuarterOfTheLimit_IO7) {
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  struct Row {
    rlim_t limit;
    std::int64_t size;
  };
  for (const Row& row : {Row{32, 8}, Row{256, 64}, Row{1024, 64}, Row{4, 2}}) {
    rlimit limit = before;
    limit.rlim_cur = row.limit;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_EQ(descriptor_pool_size(0), row.size);
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(descriptor_pool_size(5), 5);
}

}  // namespace
}  // namespace loadstone::io
