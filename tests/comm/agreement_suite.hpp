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
    const auto gathered = agreement.allgather(bytes, "discover");
    ASSERT_TRUE(gathered.ok());
    int from = 0;
    gathered->for_each([&](std::span<const std::byte> part) {
      EXPECT_TRUE(std::ranges::equal(part, bytes_of(text(from)))) << "of rank " << from;
      ++from;
    });
    EXPECT_EQ(from, comm->size());
    for (int root = 0; root < comm->size(); ++root) {
      std::vector<std::byte> shared = bytes;
      ASSERT_TRUE(agreement.broadcast(shared, root, "discover").ok());
      EXPECT_TRUE(shared == bytes_of(text(root)));
    }
    std::vector<std::byte> none;
    EXPECT_TRUE(agreement.broadcast(none, 0, "discover").ok());
    EXPECT_TRUE(none.empty());
    std::vector<std::int64_t> values{comm->rank(), 5};
    EXPECT_TRUE(agreement.allreduce(values, Reduce::max).ok());
    EXPECT_EQ(values, (std::vector<std::int64_t>{comm->size() - 1, 5}));
  });
}

/// Which collective call a rank has nothing to give to.
template <class Call>
void expect_agreed(const std::shared_ptr<Communicator>& comm, const Call& call) {
  comm::Agreement agreement(comm, Interrupt{});
  const int victim = comm->size() - 1;
  Status ready;
  if (comm->rank() == victim) ready = Fault{.code = Code::out_of_memory, .kind = "test", .message = "no memory"};
  const Status status = call(agreement, std::move(ready));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), Code::out_of_memory);
  EXPECT_EQ(status.failure().rank, comm->size() == 1 ? -1 : victim);
  EXPECT_EQ(status.failure().phase, "discover");
  EXPECT_TRUE(agreement.verdict("plan", {}).ok()) << "the agreement goes on";
}

TEST_P(AgreementConformance, T29_ARankWithNothingToGiveFailsAllAlike) {
  on_ranks([](const auto& comm) {
    const std::vector<std::byte> bytes(10);
    expect_agreed(comm, [&](comm::Agreement& agreement, Status ready) {
      auto all = agreement.allgather(bytes, "discover", std::move(ready));
      return all.ok() ? Status() : std::move(all).status();
    });
    expect_agreed(comm, [&](comm::Agreement& agreement, Status ready) {
      std::vector<std::byte> shared = bytes;
      return agreement.broadcast(shared, 0, "discover", std::move(ready));
    });
    expect_agreed(comm, [&](comm::Agreement& agreement, Status ready) {
      return agreement.same_everywhere("options", "text", "discover", std::move(ready));
    });
  });
}

TEST_P(AgreementConformance, T25_RanksThatDifferGetOneErrorThatShowsWhere) {
  on_ranks([](const auto& comm) {
    comm::Agreement agreement(comm, Interrupt{});
    EXPECT_TRUE(agreement.same_everywhere("options", std::string(5000, 'a') + "split=0", "plan").ok());
    const bool odd = comm->rank() == comm->size() - 1;
    const std::string text = std::string(5000, 'a') + (odd ? "split=1" : "split=0");
    Status status = agreement.same_everywhere("options", text, "plan");
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
