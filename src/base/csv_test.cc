#include "base/csv.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(std::string_view text) {
  Rows rows;
  CsvReader reader(text);
  while (true) {
    auto row = reader.next();
    EXPECT_TRUE(row) << row.error().message;
    if (!row || !*row) return rows;
    rows.push_back(std::move(**row));
  }
}

std::string complaint_about(std::string_view text, size_t most_fields = 1000) {
  CsvReader reader(text, most_fields);
  while (true) {
    auto row = reader.next();
    if (!row) return row.error().message;
    if (!*row) return "";
  }
}

TEST(Csv, FieldsMayBeQuoted) {
  EXPECT_EQ(rows_of("a,b\n1,2\n"), (Rows{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(rows_of("\"f(int, float)\",\"1,234.5\"\r\n\"\",x"),
            (Rows{{"f(int, float)", "1,234.5"}, {"", "x"}}));
  EXPECT_EQ(rows_of("\"say \"\"no\"\"\",\"two\nlines\""), (Rows{{"say \"no\"", "two\nlines"}}));
}

TEST(Csv, EmptyFieldsCountAndEmptyLinesDoNot) {
  EXPECT_EQ(rows_of("\n\na,,\n\n,b"), (Rows{{"a", "", ""}, {"", "b"}}));
  EXPECT_EQ(rows_of(""), Rows{});
  EXPECT_EQ(rows_of("\xEF\xBB\xBF\"a\",b\n"), (Rows{{"a", "b"}})) << "as Excel writes it";
}

TEST(Csv, RemarksArePassedOver) {
  CsvReader reader("== a \"b\" c\n1,==2\n== last", 1000, "==");
  EXPECT_EQ(reader.next().value(), (std::vector<std::string>{"1", "==2"}));
  EXPECT_EQ(reader.next().value(), std::nullopt);
  EXPECT_EQ(reader.next().value(), std::nullopt);
}

TEST(Csv, WhatIsCutShortNamesItsLine) {
  EXPECT_EQ(complaint_about("a,b\n\"c,d\ne"), "line 2: a quote is not closed");
  EXPECT_EQ(complaint_about("a\n\""), "line 2: a quote is not closed");
  EXPECT_EQ(complaint_about("\"a\"b"), "line 1: something follows a closed quote");
  EXPECT_EQ(complaint_about("a,b,c", 2), "line 1: more than 2 fields");
}

}  // namespace
}  // namespace assay
