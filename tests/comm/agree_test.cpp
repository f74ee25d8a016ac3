#include "comm/agree.hpp"
#include "comm/agreement_suite.hpp"

namespace loadstone::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Threads, AgreementConformance,
                         testing::Values(threads_group(1), threads_group(2), threads_group(3), threads_group(4),
                                         threads_group(5), threads_group(7)),
                         group_name);

TEST(Agreement, TextDoesNotDependOnTheRankCountWhereAllFoundTheSame) {
  std::string wanted;
  for (const int ranks : {1, 2, 4}) {
    run_threads(ranks, [&](const auto& comm) {
      comm::Agreement agreement(comm, Interrupt{});
      const Status status = agreement.verdict("discover", work(Kind::common, comm->rank()));
      if (ranks == 1) wanted = describe(status.failure());
      EXPECT_EQ(describe(status.failure()), wanted);
    });
  }
}

TEST(Agreement, APhaseAndARankThatAreSetStay) {
  run_threads(2, [&](const auto& comm) {
    comm::Agreement agreement(comm, Interrupt{});
    Failure failure = failure_of(Kind::bad_bytes, 1);
    failure.phase = "read";
    failure.round = 3;
    failure.rank = 1;
    Status mine = comm->rank() == 0 ? Status(std::move(failure)) : Status{};
    const Status status = agreement.verdict("verify", std::move(mine));
    EXPECT_EQ(status.failure().phase, "read");
    EXPECT_EQ(status.failure().round, 3);
    EXPECT_EQ(status.failure().rank, 1);
  });
}

TEST(Agreement, A7_ABrokenTransportIsCommOnAllRanksAndLaterCallsFailAtOnce) {
  run_threads(3, [&](const auto& comm) {
    comm::Agreement agreement(comm, Interrupt{});
    Status mine = comm->rank() == 1 ? Status(comm::comm_failure("test.comm", "the wire is cut")) : Status{};
    EXPECT_EQ(agreement.verdict("exchange", std::move(mine)).code(), Code::comm);
    EXPECT_TRUE(agreement.broken());
    EXPECT_TRUE(agreement.peer_has_failed());
    EXPECT_EQ(agreement.verdict("publish", {}).code(), Code::comm);
    std::int64_t value = 0;
    EXPECT_EQ(agreement.allreduce({&value, 1}, Reduce::max).code(), Code::comm);
  });
}

TEST(Agreement, ARankThatLeftIsCommAndKeepsTheOwnFailure) {
  run_threads(2, [&](const auto& comm) {
    if (comm->rank() == 1) return;
    comm::Agreement agreement(comm, Interrupt{});
    EXPECT_EQ(agreement.verdict("read", work(Kind::bad_bytes, 0)).code(), Code::comm);
    ASSERT_NE(agreement.local(), nullptr);
    EXPECT_EQ(agreement.local()->code(), Code::checksum);
  });
}

TEST(Agreement, APeerFailureNeverWinsAgainstARealError) {
  run_threads(3, [&](const auto& comm) {
    comm::Agreement agreement(comm, Interrupt{});
    Status mine = comm->rank() == 2 ? work(Kind::cancelled, 2) : comm::Agreement::peer_failed();
    const Status status = agreement.verdict("read", std::move(mine));
    EXPECT_EQ(status.failure().first().kind, "test.cancelled");
    EXPECT_EQ(status.failure().rank, 2);
    EXPECT_EQ(agreement.local(), nullptr);
  });
}

}  // namespace
}  // namespace loadstone::test
