#include "io/entry_table.hpp"

#include <gtest/gtest.h>

namespace loadstone::io {
namespace {

TEST(EntryTable, GivesOutEachEntryOnce) {
  EntryTable table(2);
  EXPECT_EQ(table.take(), 0);
  EXPECT_EQ(table.take(), 1);
  EXPECT_EQ(table.take(), EntryTable::kNone);
  EXPECT_TRUE(table.drop(0));
  EXPECT_EQ(table.take(), 0);
}

TEST(EntryTable, WithoutEntriesThereIsNothingToTake) {
  EntryTable table;
  EXPECT_EQ(table.take(), EntryTable::kNone);
  table.use(EntryTable::kNone);
  EXPECT_FALSE(table.done(EntryTable::kNone));
}

TEST(EntryTable, ADroppedEntryGoesWithItsLastUser) {
  EntryTable table(1);
  const int entry = table.take();
  table.use(entry);
  table.use(entry);
  EXPECT_FALSE(table.drop(entry));
  EXPECT_EQ(table.take(), EntryTable::kNone) << "nobody is given it before";
  EXPECT_FALSE(table.done(entry));
  EXPECT_TRUE(table.done(entry));
  EXPECT_EQ(table.take(), entry);
  table.use(entry);
  EXPECT_FALSE(table.done(entry)) << "not dropped this time";
  EXPECT_TRUE(table.drop(entry));
}

}  // namespace
}  // namespace loadstone::io
