// The agreement harness (reliability.md A12): one process runs many cases, each drawn from a seed that all ranks share,
// so every rank knows what every rank does and what all must get.
#pragma once

#include "comm/agree.hpp"
#include "comm/faults.hpp"
#include "support/seed.hpp"

#include <loadstone/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace loadstone::test {

inline constexpr std::array kPhases{"discover", "plan", "allocate", "read", "exchange", "verify", "publish"};
enum class Kind : std::int64_t { thrown, system, no_memory, short_read, bad_bytes, cancelled, common };

/// What happens in a case; equal on all ranks.
struct AgreementCase {
  std::size_t phase = 0;
  std::vector<std::optional<Kind>> kinds;  ///< one a rank; none: it works well
  bool others_work_until_told = false;     ///< those without failure go on until a notice comes
};

inline AgreementCase draw_case(std::mt19937_64& random, int ranks) {
  AgreementCase drawn;
  drawn.phase = static_cast<std::size_t>(pick(random, 0, kPhases.size() - 1));
  drawn.others_work_until_told = pick(random, 0, 1) == 1;
  const std::int64_t failing = pick(random, 1, (std::int64_t{1} << ranks) - 1);
  const bool common = pick(random, 0, 9) == 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto kind = static_cast<Kind>(pick(random, 0, 5));
    const bool fails = common || ((failing >> rank) & 1) == 1;
    drawn.kinds.push_back(fails ? std::optional(common ? Kind::common : kind) : std::nullopt);
  }
  return drawn;
}

inline Failure failure_of(Kind kind, int rank) {
  const std::string where = "rank " + std::to_string(rank);
  switch (kind) {
    case Kind::thrown:
      return comm::one_fault(Code::internal, "test.thrown", where + " threw");
    case Kind::no_memory:
      return comm::one_fault(Code::out_of_memory, "test.memory", where + " has no memory");
    case Kind::short_read:
      return comm::one_fault(Code::truncated, "test.truncated", where + " read too little");
    case Kind::bad_bytes:
      return comm::one_fault(Code::checksum, "test.checksum", where + " read bad bytes");
    case Kind::cancelled:
      return comm::one_fault(Code::cancelled, "test.cancelled", where + " was stopped");
    case Kind::common:
      break;
    case Kind::system: {
      Failure failure = comm::one_fault(Code::io, "test.io", where + " cannot read");
      failure.faults.front().system_errno = EIO;
      failure.faults.push_back(failure.faults.front());
      failure.faults.back().message = std::string(100'000, 'x');  // a record of several pieces
      failure.total_faults = 2;
      return failure;
    }
  }
  return comm::one_fault(Code::mismatch, "test.common", "all ranks found this in what they had gathered");
}

/// A rank's work in a phase, with what may go wrong in it, as one try block (reliability.md A2).
inline Status work(Kind kind, int rank) {
  try {
    if (kind == Kind::thrown) throw std::runtime_error("");
    if (kind == Kind::no_memory) throw std::bad_alloc();
    return failure_of(kind, rank);
  } catch (const std::bad_alloc&) {
    return failure_of(Kind::no_memory, rank);
  } catch (const std::exception&) {
    return failure_of(Kind::thrown, rank);
  }
}

/// Who wins: the worst severity, then the highest code, then the lowest rank.
inline int winner_of(const AgreementCase& drawn) {
  const auto worse = [&](int a, int b) {
    const auto weight = [&](int rank) {
      const auto kind = drawn.kinds[static_cast<std::size_t>(rank)];
      if (!kind) return std::pair(0, 0);
      const Code code = failure_of(*kind, rank).code();
      return std::pair(code == Code::cancelled ? 1 : 2, static_cast<int>(code));
    };
    return weight(a) > weight(b);
  };
  int winner = 0;
  for (int rank = 1; rank < static_cast<int>(drawn.kinds.size()); ++rank)
    if (worse(rank, winner)) winner = rank;
  return winner;
}

inline Failure expected_failure(const AgreementCase& drawn) {
  const int winner = winner_of(drawn);
  Failure failure = failure_of(*drawn.kinds[static_cast<std::size_t>(winner)], winner);
  failure.phase = kPhases[drawn.phase];
  failure.round = drawn.phase == 3 ? 5 : -1;
  const bool alike = drawn.kinds.size() == 1 || failure.first().kind == "test.common";
  if (!alike) failure.rank = winner;
  return failure;
}

/// Works until a peer tells that it failed; A6 promises that within the phase.
inline Status work_until_told(comm::Agreement& agreement) {
  const double start = steady_seconds();
  while (!agreement.peer_has_failed()) {
    if (steady_seconds() - start > 60) return comm::one_fault(Code::internal, "test.notice", "no notice came");
    std::this_thread::yield();
  }
  return comm::Agreement::peer_failed();
}

inline Status run_phase(comm::Agreement& agreement, const AgreementCase& drawn, std::size_t phase) {
  Status mine;
  const auto kind = drawn.kinds[static_cast<std::size_t>(agreement.rank())];
  if (phase == drawn.phase) {
    if (kind) {
      mine = work(*kind, agreement.rank());
      if (drawn.others_work_until_told) agreement.announce_failure();
    } else if (drawn.others_work_until_told) {
      mine = work_until_told(agreement);
    }
  }
  return agreement.verdict(kPhases[phase], std::move(mine), phase == 3 ? 5 : -1);
}

inline void expect_local(const comm::Agreement& agreement, const AgreementCase& drawn) {
  const auto kind = drawn.kinds[static_cast<std::size_t>(agreement.rank())];
  const bool own_differs = kind && *kind != Kind::common && agreement.rank() != winner_of(drawn);
  ASSERT_EQ(agreement.local() != nullptr, own_differs);
  if (own_differs) {
    EXPECT_EQ(agreement.local()->faults, failure_of(*kind, agreement.rank()).faults);
  }
}

/// Every rank's text, gathered on `second`, is the expected one.
inline void expect_same_text(comm::Agreement& second, const std::string& text, const std::string& wanted) {
  const auto texts = second.allgather(std::as_bytes(std::span(text)), "test");
  ASSERT_TRUE(texts.ok());
  texts->for_each([&](std::span<const std::byte> each) {
    EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(each.data()), each.size()), wanted);
  });
}

inline void run_case(const std::shared_ptr<Communicator>& comm, const std::shared_ptr<Communicator>& second,
                     const AgreementCase& drawn) {
  Status status;
  {
    comm::Agreement agreement(comm, Interrupt{});
    for (std::size_t phase = 0; status.ok() && phase < kPhases.size(); ++phase) {
      status = run_phase(agreement, drawn, phase);
      EXPECT_EQ(status.ok(), phase < drawn.phase);
    }
    expect_local(agreement, drawn);
    EXPECT_FALSE(agreement.broken());
  }
  const Failure wanted = expected_failure(drawn);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.failure().faults, wanted.faults);
  comm::Agreement check(second, Interrupt{});
  expect_same_text(check, describe(status.failure()), describe(wanted));
  comm::Agreement again(comm, Interrupt{});
  EXPECT_TRUE(again.verdict("discover", {}).ok());
  std::int64_t ranks = 1;
  EXPECT_TRUE(again.allreduce({&ranks, 1}, Reduce::sum).ok());
  EXPECT_EQ(ranks, comm->size());
}

/// Runs `cases` random cases on this rank. Collective.
inline void run_agreement_cases(const std::shared_ptr<Communicator>& comm, int cases) {
  const auto second = comm->duplicate();
  std::mt19937_64 random(seed() + static_cast<std::uint64_t>(comm->size()));
  for (int i = 0; i < cases; ++i) {
    SCOPED_TRACE("case " + std::to_string(i) + " of " + seed_note());
    run_case(comm, second, draw_case(random, comm->size()));
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace loadstone::test
