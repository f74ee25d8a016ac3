// The header over a user's own MPI: pieces, attributes, communicators of all kinds, life and death.
#include "comm/conformance_suite.hpp"
#include "mpi/world.hpp"

#include <loadstone/interop/mpi.hpp>

#include <algorithm>

namespace loadstone::test {
namespace {

Group pieces_group(std::int64_t piece_bytes) {
  return {"pieces_of_" + std::to_string(piece_bytes) + "_on_", world()->size(),
          [piece_bytes](const CommBody& body) { body(mpi_detail::make_communicator(MPI_COMM_WORLD, piece_bytes)); }};
}

// T32: counts that pass the limit are split, here at a few bytes.
INSTANTIATE_TEST_SUITE_P(Pieces, CommunicatorConformance,
                         testing::Values(pieces_group(mpi_detail::kPieceBytes), pieces_group(1000),
                                         pieces_group(65'537)),
                         group_name);

TEST(MpiInterop, C053_PiecesOfOneElement) {
  const auto comm = mpi_detail::make_communicator(MPI_COMM_WORLD, 1);
  const int next = (comm->rank() + 1) % comm->size();
  const int before = (comm->rank() + comm->size() - 1) % comm->size();
  std::vector<std::int64_t> values{1, comm->rank(), 7};
  finish(comm->iallreduce(values, Reduce::max));
  EXPECT_EQ(values, (std::vector<std::int64_t>{1, comm->size() - 1, 7}));
  const auto sent = pattern(100, comm->rank());
  std::vector<std::byte> got(100);
  const auto receive = comm->irecv(got, before, 1);
  finish(comm->isend(sent, next, 1));
  finish(receive);
  EXPECT_EQ(got, pattern(100, before));
}

TEST(MpiInterop, TheDuplicateIsKeptWithTheCommunicator) {
  const auto first = mpi_communicator(MPI_COMM_WORLD);
  if (first->rank() == 0) {
    EXPECT_EQ(mpi_communicator(MPI_COMM_WORLD), first) << "local";
  }
  EXPECT_EQ(first, world());
}

TEST(MpiInterop, ADuplicateOutlivesTheUsersCommunicatorAndIsNotCopiedWithIt) {
  MPI_Comm users = MPI_COMM_NULL;
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &users);
  const auto ours = mpi_communicator(users);
  MPI_Comm_dup(users, &copy);
  const auto of_copy = mpi_communicator(copy);
  EXPECT_NE(ours, of_copy);
  MPI_Comm_free(&users);
  MPI_Comm_free(&copy);
  EXPECT_EQ(sum_of(*ours, 1), ours->size());
  EXPECT_EQ(sum_of(*of_copy, 1), ours->size());
}

TEST(MpiInterop, ManyCommunicatorsComeAndGo) {
  for (int i = 0; i < 20; ++i) {  // a dup takes MPICH 20 ms on shared cores
    MPI_Comm users = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &users);
    const auto ours = mpi_communicator(users);
    EXPECT_EQ(ours->size(), world()->size());
    MPI_Comm_free(&users);
  }
  EXPECT_LE(mpi_detail::process().unused.size(), 8U) << "freed as others are made";
}

TEST(MpiInterop, PartsOfTheWorldAndOtherOrders) {
  const int rank = world()->rank();
  for (const auto& [color, key] : {std::pair(rank % 2, rank), std::pair(0, -rank)}) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &part);
    int part_rank = 0;
    int part_size = 0;
    MPI_Comm_rank(part, &part_rank);
    MPI_Comm_size(part, &part_size);
    const auto ours = mpi_communicator(part);
    EXPECT_EQ(ours->rank(), part_rank);
    EXPECT_EQ(sum_of(*ours, 1), part_size);
    MPI_Comm_free(&part);
  }
  EXPECT_EQ(mpi_communicator(MPI_COMM_SELF)->size(), 1);
}

TEST(MpiInterop, RefusesWhatIsNoGroupOfRanks) { EXPECT_THROW(mpi_communicator(MPI_COMM_NULL), Error); }

TEST(MpiInterop, C100_OurMessagesDoNotMeetTheUsers) {
  const auto comm = mpi_communicator(MPI_COMM_WORLD);
  const int next = (comm->rank() + 1) % comm->size();
  const int before = (comm->rank() + comm->size() - 1) % comm->size();
  int theirs = -1;
  MPI_Request users = MPI_REQUEST_NULL;
  const int value = 1000 + comm->rank();
  MPI_Isend(&value, 1, MPI_INT, next, 7, MPI_COMM_WORLD, &users);
  const auto mine = pattern(4, comm->rank());
  std::vector<std::byte> got(4);
  const auto receive = comm->irecv(got, before, 7);
  finish(comm->isend(mine, next, 7));
  finish(receive);
  MPI_Recv(&theirs, 1, MPI_INT, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&users, MPI_STATUS_IGNORE);
  EXPECT_EQ(got, pattern(4, before));
  EXPECT_EQ(theirs, 1000 + before);
}

TEST(MpiInterop, AMessageOfAnotherLengthIsAnErrorThatIsReturned) {
  const auto comm = mpi_detail::make_communicator(MPI_COMM_WORLD);
  const std::vector<std::byte> sent(2);
  std::vector<std::byte> got(5);
  const auto receive = comm->irecv(got, comm->rank(), 1);
  const auto send = comm->isend(sent, comm->rank(), 1);
  EXPECT_THROW(finish(receive), Error);
}

TEST(MpiInteropHuge, T32_C092_MoreThanTwoToThe31Bytes) {
  const auto comm = mpi_communicator(MPI_COMM_WORLD);
  constexpr std::size_t kBytes = (std::size_t{1} << 31) + 12'345;
  std::vector<std::byte> bytes(kBytes);
  const auto expected = [](std::size_t i) { return static_cast<std::byte>((i * 31 + i / 4093) & 0xffU); };
  if (comm->rank() == 0) {
    for (std::size_t i = 0; i < kBytes; ++i) bytes[i] = expected(i);
  }
  finish(comm->ibroadcast(bytes, 0));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kBytes; ++i) wrong += bytes[i] == expected(i) ? 0U : 1U;
  EXPECT_EQ(wrong, 0U);
  std::fill(bytes.begin(), bytes.end(), std::byte{static_cast<unsigned char>(comm->rank())});
  const int peer = comm->size() - 1 - comm->rank();
  if (comm->size() != 2) return;
  if (comm->rank() == 0) {
    finish(comm->isend(bytes, peer, 0));
  } else {
    finish(comm->irecv(bytes, peer, 0));
  }
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), std::byte{0}), static_cast<std::ptrdiff_t>(kBytes));
}

}  // namespace
}  // namespace loadstone::test
