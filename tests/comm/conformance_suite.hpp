// The conformance suite of communicators: one line an implementation instantiates it (see conformance_test.cpp).
#pragma once

#include "comm/groups.hpp"

#include <numeric>

namespace loadstone::test {

class CommunicatorConformance : public testing::TestWithParam<Group> {
 protected:
  void on_ranks(const CommBody& body) { GetParam().run(body); }
};

TEST_P(CommunicatorConformance, KnowsItsPlace) {
  on_ranks([&](const auto& comm) {
    EXPECT_EQ(comm->size(), GetParam().ranks);
    const std::int64_t n = comm->size();
    EXPECT_EQ(sum_of(*comm, comm->rank()), n * (n - 1) / 2);
    EXPECT_FALSE(comm->description().empty());
  });
}

TEST_P(CommunicatorConformance, EveryPairExchangesMessagesOfEverySize) {
  on_ranks([](const auto& comm) {
    for (const std::size_t nbytes : {0U, 1U, 7U, 1000U, 70'000U, 1'500'000U}) {
      const auto mine = pattern(nbytes, comm->rank());
      std::vector<std::vector<std::byte>> got(static_cast<std::size_t>(comm->size()), std::vector<std::byte>(nbytes));
      std::vector<std::unique_ptr<CommRequest>> requests;
      for (int peer = 0; peer < comm->size(); ++peer) {
        requests.push_back(comm->isend(mine, peer, 3));
        requests.push_back(comm->irecv(got[static_cast<std::size_t>(peer)], peer, 3));
      }
      for (const auto& request : requests) finish(request);
      for (int peer = 0; peer < comm->size(); ++peer)
        EXPECT_TRUE(got[static_cast<std::size_t>(peer)] == pattern(nbytes, peer)) << nbytes << " from " << peer;
    }
  });
}

TEST_P(CommunicatorConformance, MessagesOfOneTagArriveInOrderAndTagsDoNotMix) {
  on_ranks([](const auto& comm) {
    const int n = comm->size();
    const int next = (comm->rank() + 1) % n;
    const int before = (comm->rank() + n - 1) % n;
    std::vector<std::int64_t> sent(20);
    std::iota(sent.begin(), sent.end(), comm->rank() * 100);
    std::vector<std::int64_t> got(sent.size());
    std::vector<std::unique_ptr<CommRequest>> requests;
    const auto one = [](std::int64_t& value) { return std::as_writable_bytes(std::span(&value, 1)); };
    for (std::size_t i = 0; i < sent.size(); ++i)
      requests.push_back(comm->isend(one(sent[i]), next, i < 10 ? 32767 : 0));
    for (std::size_t i = 10; i < got.size(); ++i) requests.push_back(comm->irecv(one(got[i]), before, 0));
    for (std::size_t i = 0; i < 10; ++i) requests.push_back(comm->irecv(one(got[i]), before, 32767));
    for (const auto& request : requests) finish(request);
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(got[i], std::int64_t{before} * 100 + static_cast<std::int64_t>(i));
  });
}

TEST_P(CommunicatorConformance, ReducesElementByElement) {
  on_ranks([](const auto& comm) {
    const std::int64_t n = comm->size();
    const std::int64_t r = comm->rank();
    std::vector<std::int64_t> most{r, -r, std::int64_t{1} << 62};
    std::vector<std::int64_t> least = most;
    std::vector<std::int64_t> sum{r, 1, -r};
    finish(comm->iallreduce(most, Reduce::max));
    finish(comm->iallreduce(least, Reduce::min));
    finish(comm->iallreduce(sum, Reduce::sum));
    finish(comm->iallreduce({}, Reduce::sum));
    EXPECT_EQ(most, (std::vector<std::int64_t>{n - 1, 0, std::int64_t{1} << 62}));
    EXPECT_EQ(least, (std::vector<std::int64_t>{0, 1 - n, std::int64_t{1} << 62}));
    EXPECT_EQ(sum, (std::vector<std::int64_t>{n * (n - 1) / 2, n, -n * (n - 1) / 2}));
  });
}

TEST_P(CommunicatorConformance, BroadcastsFromEveryRoot) {
  on_ranks([](const auto& comm) {
    for (int root = 0; root < comm->size(); ++root) {
      for (const std::size_t nbytes : {0U, 1U, 4096U, 300'000U}) {
        auto bytes = comm->rank() == root ? pattern(nbytes, root) : std::vector<std::byte>(nbytes);
        finish(comm->ibroadcast(bytes, root));
        EXPECT_TRUE(bytes == pattern(nbytes, root)) << nbytes << " from " << root;
      }
    }
  });
}

TEST_P(CommunicatorConformance, GathersPartsOfDifferentLength) {
  on_ranks([](const auto& comm) {
    for (const std::int64_t unit : {0, 1, 1001, 50'000}) {
      std::vector<std::int64_t> counts;
      std::vector<std::byte> wanted;
      for (int rank = 0; rank < comm->size(); ++rank) {
        counts.push_back(rank % 3 == 1 ? 0 : unit * (rank + 1));
        const auto part = pattern(static_cast<std::size_t>(counts.back()), rank);
        wanted.insert(wanted.end(), part.begin(), part.end());
      }
      const auto me = static_cast<std::size_t>(comm->rank());
      const auto mine = pattern(static_cast<std::size_t>(counts[me]), comm->rank());
      std::vector<std::byte> all(wanted.size());
      finish(comm->iallgatherv(mine, all, counts));
      EXPECT_TRUE(all == wanted) << unit;
    }
  });
}

TEST_P(CommunicatorConformance, CarriesSeveralCollectivesAtOnce) {
  on_ranks([](const auto& comm) {
    std::vector<std::int64_t> values(32, comm->rank());
    std::vector<std::unique_ptr<CommRequest>> requests;
    for (std::int64_t& value : values) requests.push_back(comm->iallreduce({&value, 1}, Reduce::max));
    while (!requests.empty()) {
      finish(requests.back());
      requests.pop_back();
    }
    EXPECT_EQ(values, std::vector<std::int64_t>(32, comm->size() - 1));
  });
}

TEST_P(CommunicatorConformance, C100_DuplicateHasAMessageSpaceOfItsOwn) {
  on_ranks([](const auto& comm) {
    const auto other = comm->duplicate();
    EXPECT_EQ(other->rank(), comm->rank());
    EXPECT_EQ(other->size(), comm->size());
    const int n = comm->size();
    const int next = (comm->rank() + 1) % n;
    const int before = (comm->rank() + n - 1) % n;
    const std::vector<std::byte> first = pattern(8, 1);
    const std::vector<std::byte> second = pattern(8, 2);
    std::vector<std::byte> got_first(8);
    std::vector<std::byte> got_second(8);
    const auto send_first = comm->isend(first, next, 5);
    const auto send_second = other->isend(second, next, 5);
    finish(other->irecv(got_second, before, 5));
    finish(comm->irecv(got_first, before, 5));
    finish(send_first);
    finish(send_second);
    EXPECT_EQ(got_first, first);
    EXPECT_EQ(got_second, second);
  });
}

TEST_P(CommunicatorConformance, ADuplicateMayOutliveItsOriginalAndManyMayBeMade) {
  on_ranks([](const auto& comm) {
    std::shared_ptr<Communicator> last = comm;
    for (int i = 0; i < 40; ++i) last = last->duplicate();
    EXPECT_EQ(sum_of(*last, 1), comm->size());
    EXPECT_EQ(sum_of(*comm, 1), comm->size());
  });
}

TEST_P(CommunicatorConformance, AWithdrawnReceiveTakesNoLaterMessage) {
  on_ranks([](const auto& comm) {
    const int n = comm->size();
    const int next = (comm->rank() + 1) % n;
    const int before = (comm->rank() + n - 1) % n;
    std::vector<std::byte> unused(8);
    {
      const auto destroyed = comm->irecv(unused, before, 9);
    }
    const auto withdrawn = comm->irecv(unused, before, 9);
    EXPECT_TRUE(withdrawn->withdraw());
    sum_of(*comm, 0);  // nobody sends before everybody has withdrawn
    const std::vector<std::byte> sent = pattern(8, comm->rank());
    const auto send = comm->isend(sent, next, 9);
    std::vector<std::byte> got(8);
    finish(comm->irecv(got, before, 9));
    finish(send);
    EXPECT_EQ(got, pattern(8, before));
    EXPECT_EQ(unused, std::vector<std::byte>(8));
  });
}

TEST_P(CommunicatorConformance, RefusesArgumentsOutsideTheContract) {
  on_ranks([](const auto& comm) {
    std::vector<std::byte> bytes(4);
    const auto code_of = [](const auto& call) {
      try {
        call();
      } catch (const Error& error) {
        return error.code();
      }
      return Code::internal;
    };
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(comm->size()), 3);
    EXPECT_EQ(code_of([&] { comm->isend(bytes, comm->size(), 0); }), Code::bad_argument);
    EXPECT_EQ(code_of([&] { comm->irecv(bytes, -1, 0); }), Code::bad_argument);
    EXPECT_EQ(code_of([&] { comm->isend(bytes, 0, -1); }), Code::bad_argument);
    EXPECT_EQ(code_of([&] { comm->irecv(bytes, 0, 32768); }), Code::bad_argument);
    EXPECT_EQ(code_of([&] { comm->ibroadcast(bytes, comm->size()); }), Code::bad_argument);
    EXPECT_EQ(code_of([&] { comm->iallgatherv(bytes, bytes, counts); }), Code::bad_argument);
    EXPECT_EQ(sum_of(*comm, 1), comm->size());
  });
}

TEST_P(CommunicatorConformance, NumbersItsCollectiveCalls) {
  on_ranks([](const auto& comm) {
    const auto fresh = comm->duplicate();
    EXPECT_EQ(fresh->next_serial(), 0);
    EXPECT_EQ(fresh->next_serial(), 1);
  });
}

}  // namespace loadstone::test
