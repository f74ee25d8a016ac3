#include "io/way_chooser.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>

namespace loadstone::io {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kPagesOfPiece = kPieceBytes / 4096;

/// A file of 40 MiB of which some 1 MiB pieces are in the page cache: the last pages of each, as many as it says.
class WayChooserTest : public testing::Test {
 protected:
  WayChooserTest() {
    file_.facts.fs_class = FsClass::local;
    file_.facts.device = 1;
    file_.bytes = 40 * kMiB;
  }

  WayChooser make(WayRules rules = {}) {
    ResidencyQuestions questions;
    questions.residency = [this](int, std::int64_t offset, std::int64_t bytes) {
      ++asked_;
      counted_pages_ += bytes / 4096;
      Residency told;
      told.error = error_;
      const std::int64_t end = std::min(offset + bytes, file_.bytes);
      for (std::int64_t page = offset / 4096; page * 4096 < end; ++page) {
        told.cached += page % kPagesOfPiece >= kPagesOfPiece - cached_[page / kPagesOfPiece] ? 1 : 0;
        told.dirty += page % kPagesOfPiece >= kPagesOfPiece - dirty_[page / kPagesOfPiece] ? 1 : 0;
      }
      return told;
    };
    questions.is_true = [this](int) { return honest_; };
    return {rules, counters_, questions};
  }

  OpenFile file_;
  Counters counters_;
  std::map<std::int64_t, std::int64_t> cached_;
  std::map<std::int64_t, std::int64_t> dirty_;
  int error_ = 0;
  bool honest_ = true;
  int asked_ = 0;
  std::int64_t counted_pages_ = 0;
};

TEST_F(WayChooserTest, AsksOnceAWindow_IO13) {
  WayChooser chooser = make();
  EXPECT_EQ(chooser.at(file_, 5).state, PieceState::cold);
  const int asked = asked_;
  for (std::int64_t at = 0; at < kWindowBytes; at += 1000) EXPECT_EQ(chooser.at(file_, at).end, kWindowBytes);
  EXPECT_EQ(asked_, asked);
  EXPECT_EQ(chooser.at(file_, kWindowBytes).end, 2 * kWindowBytes);
  EXPECT_EQ(asked_, asked + 2) << "a sample that is not cached, and the whole";
}

TEST_F(WayChooserTest, CountsAFewPagesOfResidentWindows_IO13) {
  for (std::int64_t i = 0; i < 40; ++i) cached_[i] = kPagesOfPiece;
  WayChooser chooser = make();
  EXPECT_EQ(chooser.at(file_, 0).state, PieceState::resident);
  const std::int64_t counted = counted_pages_;
  EXPECT_EQ(chooser.at(file_, kWindowBytes).state, PieceState::resident);
  EXPECT_LE((counted_pages_ - counted) * 16, kWindowBytes / 4096) << "a sixteenth of them";
}

TEST_F(WayChooserTest, TellsMixedWindowsPieceByPiece) {
  for (std::int64_t i = 2; i < 5; ++i) cached_[i] = kPagesOfPiece;
  cached_[5] = kPagesOfPiece / 2;
  cached_[6] = kPagesOfPiece / 2 - 1;
  WayChooser chooser = make();
  struct Row {
    std::int64_t at;
    PieceState state;
    std::int64_t end;
  };
  for (const Row& row : {Row{0, PieceState::cold, 2}, Row{2, PieceState::resident, 5}, Row{4, PieceState::resident, 5},
                         Row{5, PieceState::half, 6}, Row{6, PieceState::cold, 16}}) {
    const Stretch stretch = chooser.at(file_, row.at * kMiB + 7);
    EXPECT_EQ(stretch.state, row.state) << row.at;
    EXPECT_EQ(stretch.end, row.end * kMiB) << row.at;
  }
  file_.facts.fs_class = FsClass::other;
  file_.window = {};
  EXPECT_EQ(chooser.at(file_, 0).state, PieceState::half) << "mixed: buffered but on local disks";
}

TEST_F(WayChooserTest, AFewCachedPagesMakeNoWindowMixed) {
  WayChooser chooser = make();
  cached_[0] = kPagesOfPiece - 1;  // less than a sixteenth of the window
  EXPECT_EQ(chooser.at(file_, 0).state, PieceState::cold);
  EXPECT_EQ(chooser.at(file_, 0).end, kWindowBytes);
  EXPECT_EQ(asked_, 2 + 1 + 1) << "whether it can be trusted, a sample, and the whole";
  cached_[0] = kPagesOfPiece;
  file_.window = {};
  EXPECT_EQ(chooser.at(file_, 0).state, PieceState::resident);
  EXPECT_EQ(chooser.at(file_, 0).end, kMiB);
}

TEST_F(WayChooserTest, TheLastWindowEndsWithTheFile) {
  for (std::int64_t i = 32; i < 40; ++i) cached_[i] = kPagesOfPiece;
  WayChooser chooser = make();
  EXPECT_EQ(chooser.at(file_, 33 * kMiB).state, PieceState::resident);
}

TEST_F(WayChooserTest, DirtyIsBuffered) {
  for (std::int64_t i = 0; i < 16; ++i) cached_[i] = kPagesOfPiece;
  dirty_[3] = 1;
  WayChooser chooser = make();
  EXPECT_EQ(chooser.at(file_, 0).state, PieceState::busy);
}

TEST_F(WayChooserTest, WhereCachestatLiesNothingIsResident_IO15) {
  honest_ = false;
  WayChooser chooser = make();
  EXPECT_EQ(chooser.at(file_, 0).state, PieceState::cold);
}

TEST_F(WayChooserTest, WhereNobodyTellsARequestAsks_IO14) {
  for (const int error : {ENOSYS, EPERM}) {
    error_ = error;
    file_.window = {};
    WayChooser chooser = make();
    EXPECT_EQ(chooser.at(file_, 0).state, PieceState::ask);
    WayChooser::answer(file_, 0, false);
    EXPECT_EQ(chooser.at(file_, kMiB).state, PieceState::cold);
    EXPECT_EQ(chooser.at(file_, kWindowBytes).state, PieceState::ask) << "a new window, a new question";
    WayChooser::answer(file_, kWindowBytes, true);
    EXPECT_EQ(chooser.at(file_, kWindowBytes + kMiB).state, PieceState::half);
  }
}

TEST_F(WayChooserTest, AForeignFileOnAMountThatTellsIsAskedByARequest_IO14) {
  for (const bool direct : {true, false}) {
    error_ = 0;
    file_.window = {};
    WayChooser chooser = make({direct ? WayRules::Direct::automatic : WayRules::Direct::off, true});
    EXPECT_EQ(chooser.at(file_, 0).state, PieceState::cold) << "the mount can be trusted";
    error_ = EPERM;
    EXPECT_EQ(chooser.at(file_, kWindowBytes).state, direct ? PieceState::ask : PieceState::cold);
    error_ = 0;
    EXPECT_EQ(chooser.at(file_, 0).state, PieceState::cold) << "and goes on telling of others";
  }
}

TEST_F(WayChooserTest, GateAndOptions_IO8_IO9) {
  struct Row {
    FsClass fs_class;
    bool dio_known;
    std::int64_t align;
    bool by_default;
    bool mapped;
  };
  for (const Row& row : {Row{FsClass::local, true, 512, true, true}, Row{FsClass::local, true, 0, false, true},
                         Row{FsClass::local, false, 0, true, true}, Row{FsClass::memory, true, 4096, false, true},
                         Row{FsClass::network, true, 512, false, false}, Row{FsClass::other, true, 512, true, false},
                         Row{FsClass::other, false, 0, true, false}}) {
    FsFacts facts;
    facts.fs_class = row.fs_class;
    facts.dio_known = row.dio_known;
    facts.offset_align = row.align;
    EXPECT_EQ(make().direct_allowed(facts), row.by_default);
    EXPECT_EQ(make().mapped_allowed(facts), row.mapped);
    EXPECT_TRUE(make({WayRules::Direct::on, true}).direct_allowed(facts)) << "tries everywhere";
    EXPECT_FALSE(make({WayRules::Direct::off, true}).direct_allowed(facts));
    EXPECT_FALSE(make({WayRules::Direct::off, false}).mapped_allowed(facts));
  }
}

TEST_F(WayChooserTest, ForcedDirectDoesNotAsk) {
  WayChooser chooser = make({WayRules::Direct::on, true});
  EXPECT_EQ(chooser.at(file_, 0).state, PieceState::cold);
  EXPECT_EQ(asked_, 0);
}

}  // namespace
}  // namespace loadstone::io
