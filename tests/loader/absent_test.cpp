#include "loader/absent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "loader/discover_support.hpp"

namespace loadstone {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// While it lives, no file can be opened.
class NoDescriptors {
 public:
  NoDescriptors() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const int next = ::dup(STDIN_FILENO);
    EXPECT_GE(next, 0);
    ::close(next);
    rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(next);
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  }
  ~NoDescriptors() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_ = {};
};

TEST(Absent, AFolderThatCannotBeListedForWantOfDescriptorsSaysSo_C065) {
  const test::Folder folder;
  folder.write_good(3);
  for (const std::string& path : {folder.path(), folder.glob()}) {
    test::Opened opened;
    {
      const NoDescriptors none;
      opened = test::open_on({path}, {}, self_communicator());
    }
    ASSERT_EQ(opened.kinds(), std::vector<std::string>{"path.denied"}) << opened.text;
    EXPECT_EQ(opened.first().code, Code::io);
    EXPECT_EQ(opened.first().system_errno, EMFILE);
    EXPECT_THAT(opened.first().remedy.text(), AllOf(HasSubstr("ulimit -n"), Not(HasSubstr("permission"))));
  }
}

TEST(Absent, TheRemedyFollowsFromTheErrno) {
  for (const int error : {EMFILE, ENFILE}) {
    EXPECT_THAT(loader::cannot_list("d", error).remedy.text(), HasSubstr("ulimit -n"));
  }
  EXPECT_THAT(loader::cannot_list("d", EACCES).remedy.text(), HasSubstr("permissions"));
  EXPECT_THAT(loader::cannot_list("d", EIO).remedy.text(), Not(HasSubstr("permissions")));
}

}  // namespace
}  // namespace loadstone
