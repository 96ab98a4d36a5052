#include "report/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/escape.h"

namespace assay {
namespace {

size_t widest(const std::string& text) {
  size_t most = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
  return most;
}

TEST(Table, WhatFitsIsAsItIs) {
  const std::vector<Row> rows{{"A", "LONGER"}, {"one", "x"}};
  EXPECT_EQ(text_table(rows), "A    LONGER\none  x\n");
  EXPECT_EQ(text_table(rows, 11), text_table(rows));
  EXPECT_TRUE(fits(rows, 11));
  EXPECT_FALSE(fits(rows, 10));
}

TEST(Table, CellsGoOnBelowThemselves) {
  const std::vector<Row> rows{{"N", "CAUSE", "TARGETS"},
                              {"1", "no lowering for this operation", "a100 local"}};
  EXPECT_EQ(text_table(rows, 30),
            "N  CAUSE            TARGETS\n"
            "1  no lowering for  a100 local\n"
            "   this operation\n");
  EXPECT_EQ(text_table({{"ID"}, {"suite/level/target/problem"}}, 20),
            "ID\nsuite/level/target/\nproblem\n");
}

// The first column says of what each row is.
TEST(Table, ColumnsThatFindNoRoomFollowBelow) {
  Row head{"ID"}, row{"a"};
  for (int i = 0; i < 12; ++i) {
    head.push_back("COLUMN" + std::to_string(i));
    row.push_back(std::to_string(i));
  }
  for (size_t columns : {20, 40, 79}) {
    const std::string text = text_table({head, row}, columns);
    EXPECT_LE(widest(text), columns) << text;
    EXPECT_NE(text.find("COLUMN11"), std::string::npos) << text;
  }
}

TEST(Table, NothingIsLostHoweverNarrow) {
  const std::vector<Row> rows{{"A", "B"}, {"\u00e9\u00e9\u00e9\u00e9", std::string(50, 'x')}};
  for (size_t columns = 1; columns < 60; ++columns) {
    std::string text = text_table(rows, columns);
    EXPECT_EQ(std::ranges::count(text, 'x'), 50) << columns;
  }
}

TEST(Table, ColumnsBecomeRows) {
  EXPECT_EQ(turned({{"A", "B", "C"}, {"1", "2", "3"}}),
            (std::vector<Row>{{"A", "1"}, {"B", "2"}, {"C", "3"}}));
}

TEST(Table, CountsCharactersAndNotBytes) {
  EXPECT_EQ(text_table({{"‘a’", "x"}, {"bcd", "y"}}), "‘a’  x\nbcd  y\n");
  const std::string narrow = text_table({{"one", "‘ü’‘ü’‘ü’‘ü’‘ü’‘ü’‘ü’‘ü’‘ü’"}}, 21);
  EXPECT_EQ(narrow, utf8(narrow)) << "no character is broken in two";
}

}  // namespace
}  // namespace assay
