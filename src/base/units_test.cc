#include "base/units.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace assay {
namespace {

TEST(Units, DurationsAreRead) {
  EXPECT_EQ(*parse_duration_ns("90s"), 90'000'000'000);
  EXPECT_EQ(*parse_duration_ns("90"), 90'000'000'000);
  EXPECT_EQ(*parse_duration_ns("1.5s"), 1'500'000'000);
  EXPECT_EQ(*parse_duration_ns("500ms"), 500'000'000);
  EXPECT_EQ(*parse_duration_ns("2m"), 120'000'000'000);
  EXPECT_EQ(*parse_duration_ns("1h"), 3'600'000'000'000);
  for (const char* wrong :
       {"", "s", "-1s", "0", "1x", "1 s", "nan", "inf", "1e400", "1e30h", "0x10"})
    EXPECT_FALSE(parse_duration_ns(wrong)) << wrong;
}

TEST(Units, SizesAreRead) {
  EXPECT_EQ(*parse_bytes("8G"), 8ull << 30);
  EXPECT_EQ(*parse_bytes("1.5KiB"), 1536u);
  EXPECT_EQ(*parse_bytes("1048576"), 1u << 20);
  for (const char* wrong : {"", "G", "-1", "0", "8Q", "99999999999T"})
    EXPECT_FALSE(parse_bytes(wrong)) << wrong;
}

TEST(Units, QuantitiesAreWritten) {
  EXPECT_EQ(format_duration(7), "7 ns");
  EXPECT_EQ(format_duration(1'500), "1.5 us");
  EXPECT_EQ(format_duration(999'600'000), "1 s");
  EXPECT_EQ(format_duration(1'234'000'000), "1.23 s");
  EXPECT_EQ(format_duration(125'000'000'000), "2m 05s");
  EXPECT_EQ(format_duration(3'720'000'000'000), "1h 02m");
  EXPECT_EQ(format_duration(60'499'999'999), "1m 00s");
  EXPECT_EQ(format_duration(60'500'000'000), "1m 01s");
  EXPECT_EQ(format_duration(INT64_MAX), "2562047h 47m");
  EXPECT_EQ(format_bytes(532), "532 B");
  EXPECT_EQ(format_bytes(1 << 20), "1.0 MiB");
  EXPECT_EQ(format_bytes((1 << 20) - 1), "1.0 MiB");
}

TEST(Units, ExactQuantitiesReadBackAsTheSame) {
  EXPECT_EQ(exact_duration(300'000'000'000), "5m");
  EXPECT_EQ(exact_bytes(uint64_t{8} << 30), "8G");
  for (int64_t ns : {1'500'000'000ll, 2'000'000ll, 3'000ll, 7'200'000'000'000ll})
    EXPECT_EQ(*parse_duration_ns(exact_duration(ns)), ns);
  for (uint64_t bytes : {1ull, 1000ull, 1536ull, 3ull << 20, 5ull << 40})
    EXPECT_EQ(*parse_bytes(exact_bytes(bytes)), bytes);
}

}  // namespace
}  // namespace assay
