// What an agreement promises on every communicator, as one suite; instantiated like the conformance suite.
#pragma once

#include "comm/agreement_cases.hpp"
#include "comm/groups.hpp"

#include <cstdlib>

namespace loadstone::test {

inline std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class AgreementConformance : public testing::TestWithParam<Group> {
 protected:
  void on_ranks(const CommBody& body) { GetParam().run(body); }
};

/// How many random cases; settable for long runs.
inline int agreement_cases() {
  const char* const text = std::getenv("LOADSTONE_TEST_CASES");
  return text == nullptr ? 40 : std::atoi(text);
}

TEST_P(AgreementConformance, A12_T24_EveryRankGetsTheSameErrorAndGoesOn) {
  on_ranks([](const auto& comm) { run_agreement_cases(comm, agreement_cases()); });
}

TEST_P(AgreementConformance, SuccessIsQuiet) {
  on_ranks([](const auto& comm) {
    comm::Agreement agreement(comm, Interrupt{});
    for (const char* phase : kPhases) {
      EXPECT_FALSE(agreement.peer_has_failed());
      EXPECT_TRUE(agreement.verdict(phase, {}).ok());
    }
    EXPECT_EQ(agreement.local(), nullptr);
  });
}

TEST_P(AgreementConformance, SeveralFailedVerdictsOfOneAgreement) {
  on_ranks([](const auto& comm) {
    comm::Agreement agreement(comm, Interrupt{});
    for (int round = 0; round < 12; ++round) {
      const bool fails = comm->rank() == round % comm->size();
      if (fails && round % 2 == 0) agreement.announce_failure();
      Status mine = fails ? work(Kind::short_read, comm->rank()) : Status{};
      const Status status = agreement.verdict("read", std::move(mine), round);
      ASSERT_FALSE(status.ok());
      EXPECT_EQ(status.failure().round, round);
      EXPECT_EQ(status.code(), Code::truncated);
      EXPECT_TRUE(agreement.verdict("between", {}).ok());
    }
  });
}

TEST_P(AgreementConformance, TwentyFailuresInARowLeaveTheCommunicatorUsable) {
  on_ranks([](const auto& comm) {
    for (int i = 0; i < 20; ++i) {
      comm::Agreement agreement(comm, Interrupt{});
      agreement.announce_failure();
      EXPECT_EQ(agreement.verdict("discover", work(Kind::bad_bytes, comm->rank())).code(), Code::checksum);
    }
    EXPECT_EQ(sum_of(*comm, 1), comm->size());
  });
}

TEST_P(AgreementConformance, T30_AStopOfOneWaitingRankEndsTheOthersWork) {
  on_ranks([](const auto& comm) {
    const std::stop_source source;
    Interrupt interrupt;
    interrupt.stop = source.get_token();
    if (comm->rank() == 0) source.request_stop();
    comm::Agreement agreement(comm, interrupt);
    EXPECT_TRUE(agreement.verdict("discover", {}).ok()) << "told after the vote: it counts in the next phase";
    if (comm->size() == 1) return;
    Status mine;
    if (comm->rank() != 0) mine = work_until_told(agreement);
    const Status status = agreement.verdict("read", std::move(mine));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.code(), Code::cancelled);
    EXPECT_EQ(status.failure().first().kind, "cancelled");
    EXPECT_EQ(status.failure().rank, 0);
  });
}

TEST_P(AgreementConformance, ARecordWithTenThousandFaultsArrivesWhole) {
  on_ranks([](const auto& comm) {
    comm::Agreement agreement(comm, Interrupt{});
    Failure failure = failure_of(Kind::short_read, 0);
    for (std::int64_t shard = 1; shard < 10'000; ++shard) {
      failure.faults.push_back(failure.faults.front());
      failure.faults.back().shard = shard;
    }
    failure.total_faults = 20'000;
    Status mine;
    if (comm->rank() == comm->size() - 1) mine = Failure(failure);
    const Status status = agreement.verdict("discover", std::move(mine));
    ASSERT_FALSE(status.ok());
    EXPECT_TRUE(status.failure().faults == failure.faults);
    EXPECT_EQ(status.failure().total_faults, 20'000);
  });
}

TEST_P(AgreementConformance, CollectivesCarryWhatTheyAreGiven) {
  on_ranks([](const auto& comm) {
    comm::Agreement agreement(comm, Interrupt{});
    const auto text = [](int rank) { return std::string(static_cast<std::size_t>(rank) * 1000, 'a') + "end"; };
    std::vector<std::byte> bytes = bytes_of(text(comm->rank()));
    const auto gathered = agreement.allgather(bytes);
    ASSERT_TRUE(gathered.ok());
    for (int rank = 0; rank < comm->size(); ++rank)
      EXPECT_TRUE((*gathered)[static_cast<std::size_t>(rank)] == bytes_of(text(rank)));
    for (int root = 0; root < comm->size(); ++root) {
      std::vector<std::byte> shared = bytes;
      ASSERT_TRUE(agreement.broadcast(shared, root).ok());
      EXPECT_TRUE(shared == bytes_of(text(root)));
    }
    std::vector<std::byte> none;
    EXPECT_TRUE(agreement.broadcast(none, 0).ok());
    EXPECT_TRUE(none.empty());
    std::vector<std::int64_t> values{comm->rank(), 5};
    EXPECT_TRUE(agreement.allreduce(values, Reduce::max).ok());
    EXPECT_EQ(values, (std::vector<std::int64_t>{comm->size() - 1, 5}));
  });
}

TEST_P(AgreementConformance, T25_RanksThatDifferGetOneErrorThatShowsWhere) {
  on_ranks([](const auto& comm) {
    comm::Agreement agreement(comm, Interrupt{});
    EXPECT_TRUE(agreement.same_everywhere("options", std::string(5000, 'a') + "split=0").ok());
    const bool odd = comm->rank() == comm->size() - 1;
    const std::string text = std::string(5000, 'a') + (odd ? "split=1" : "split=0");
    Status status = agreement.same_everywhere("options", text);
    if (comm->size() == 1) {
      EXPECT_TRUE(status.ok());
      return;
    }
    ASSERT_FALSE(status.ok());
    status = agreement.verdict("plan", std::move(status));
    const Fault& fault = status.failure().first();
    EXPECT_EQ(fault.code, Code::mismatch);
    EXPECT_EQ(fault.kind, "ranks.differ");
    EXPECT_EQ(fault.item, "options");
    EXPECT_NE(std::get<std::string>(fault.wanted).find("split=0"), std::string::npos);
    EXPECT_NE(std::get<std::string>(fault.got).find("split=1"), std::string::npos);
    EXPECT_NE(fault.message.find("rank " + std::to_string(comm->size() - 1)), std::string::npos);
    EXPECT_EQ(status.failure().rank, -1) << "all ranks built it alike";
  });
}

}  // namespace loadstone::test
