#include "verify/draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "verify/number.h"

namespace assay {
namespace {

const RandomStream& stream() {
  static const RandomStream made(Seed{}, "draws");
  return made;
}

Draw draw_of(const std::string& text) { return **draw_from_json(*parse_json(text, "a test")); }

// The elements as they lie in memory, gaps included.
std::vector<double> drawn(const TensorSpec& spec, const std::string& text) {
  uint64_t slots = spec.span_bytes() / bytes_of(spec.dtype);
  std::vector<double> values(slots, 77);
  std::vector<std::byte> memory(spec.span_bytes());
  store_block(spec.dtype, values.data(), slots, memory.data());
  auto status = draw(spec, draw_of(text), stream(), memory.data());
  EXPECT_TRUE(status) << status.error().describe();
  load_block(spec.dtype, memory.data(), slots, values.data());
  return values;
}

struct Moments {
  double mean = 0, deviation = 0, low = 0, high = 0;
};

Moments moments(const std::vector<double>& values) {
  Moments found;
  auto count = static_cast<double>(values.size());
  found.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  for (double value : values) found.deviation += (value - found.mean) * (value - found.mean);
  found.deviation = std::sqrt(found.deviation / count);
  found.low = std::ranges::min(values);
  found.high = std::ranges::max(values);
  return found;
}

constexpr int64_t kMany = 50'000;

TEST(Draws, EachHasItsDistributionInEachType) {
  struct Case {
    const char* text;
    double mean, deviation, low, high;
  };
  const double flat = 1 / std::sqrt(12.0);
  for (const Case& c :
       {Case{R"({"draw": "rand"})", 0.5, flat, 0, 1},
        Case{R"({"draw": "rand", "scale": 4, "shift": -1})", 1, 4 * flat, -1, 3},
        Case{R"({"draw": "rand", "low": -2, "high": 6})", 2, 8 * flat, -2, 6},
        Case{R"({"draw": "randn"})", 0, 1, -7, 7},
        Case{R"({"draw": "randn", "scale": 0.5, "shift": 3})", 3, 0.5, -1, 7},
        Case{R"({"draw": "randn", "mean": 2, "std": 3})", 2, 3, -19, 23},
        Case{R"({"draw": "randint", "low": -5, "high": 6})", 0, std::sqrt(10.0), -5, 5}})
    for (Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16}) {
      Moments found = moments(drawn({dtype, {kMany}, {}}, c.text));
      double tolerance = 5 * c.deviation / std::sqrt(kMany) + 8 * unit_roundoff(dtype);
      EXPECT_NEAR(found.mean, c.mean, tolerance) << c.text;
      EXPECT_NEAR(found.deviation, c.deviation, tolerance) << c.text;
      EXPECT_GE(found.low, c.low) << c.text;
      EXPECT_LE(found.high, c.high) << c.text;
    }
}

TEST(Draws, TheUpperEndOfARangeIsNotDrawn) {
  for (Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    EXPECT_LT(moments(drawn({dtype, {kMany}, {}}, R"({"draw": "rand"})")).high, 1);
    EXPECT_LT(moments(drawn({dtype, {kMany}, {}}, R"({"draw": "rand", "low": 1, "high": 2})")).high,
              2);
  }
}

TEST(Draws, WholeNumbers) {
  for (Dtype dtype : {Dtype::i64, Dtype::i32, Dtype::i16, Dtype::i8}) {
    Moments found = moments(
        drawn({dtype, {kMany}, {}}, R"({"draw": "randint", "low": -5, "high": 6, "scale": 2})"));
    EXPECT_NEAR(found.mean, 0, 0.15);
    EXPECT_EQ(found.low, -10);
    EXPECT_EQ(found.high, 10);
  }
  EXPECT_NEAR(
      moments(drawn({Dtype::boolean, {kMany}, {}}, R"({"draw": "randint", "low": 0, "high": 2})"))
          .mean,
      0.5, 0.02);
  EXPECT_EQ(drawn({Dtype::i32, {4}, {}}, R"({"draw": "arange", "low": 3, "high": 11, "step": 2})"),
            (std::vector<double>{3, 5, 7, 9}));
  EXPECT_EQ(drawn({Dtype::u8, {2}, {}}, R"({"draw": "full", "value": 200})"),
            (std::vector<double>{200, 200}));
  EXPECT_EQ(drawn({Dtype::f32, {2}, {}}, R"({"draw": "ones", "shift": 2})"),
            (std::vector<double>{3, 3}));
  EXPECT_EQ(drawn({Dtype::f16, {1}, {}}, R"({"draw": "full", "value": {"float": "-inf"}})"),
            (std::vector<double>{-INFINITY}));
}

TEST(Draws, PermutationsHoldEachNumberOnce) {
  std::vector<double> order = drawn({Dtype::i64, {3000}, {}}, R"({"draw": "randperm"})");
  EXPECT_FALSE(std::ranges::is_sorted(order));
  std::ranges::sort(order);
  for (size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], static_cast<double>(i));
}

TEST(Draws, ValuesDoNotDependOnStridesAndGapsStay) {
  TensorSpec dense{Dtype::f32, {30, 70}, {}}, turned{Dtype::f32, {30, 70}, {1, 30}},
      gaps{Dtype::f32, {30, 70}, {200, 2}};
  std::string text = R"({"draw": "randn"})";
  auto plain = drawn(dense, text), columns = drawn(turned, text), wide = drawn(gaps, text);
  uint64_t untouched = 0;
  for (size_t i = 0; i < 30; ++i)
    for (size_t j = 0; j < 70; ++j) {
      ASSERT_EQ(columns[i + 30 * j], plain[i * 70 + j]);
      ASSERT_EQ(wide[i * 200 + 2 * j], plain[i * 70 + j]);
    }
  for (double value : wide) untouched += value == 77;
  EXPECT_EQ(untouched, wide.size() - 30 * 70);
}

TEST(Draws, JsonRoundTripsAndIsReadStrictly) {
  for (const char* text : {R"({"draw":"rand","low":0.0,"high":1.0})",
                           R"({"draw":"randint","low":-5,"high":6,"scale":2.0})",
                           R"({"draw":"randn","mean":2.0,"std":3.0,"shift":1.0})",
                           R"({"draw":"full","value":{"float":"nan"}})",
                           R"({"draw":"arange","low":0.0,"high":4.0,"step":0.5})"})
    EXPECT_EQ(dump_json(to_json(draw_of(text))), text);
  EXPECT_FALSE(draw_from_json(*parse_json(R"({"draw": null})", "a test"))->has_value());
  for (const char* text :
       {"{}", "3", "[]", R"({"draw": "cauchy"})", R"({"draw": "rand", "mean": 1})",
        R"({"draw": "randint"})", R"({"draw": "randint", "low": 5, "high": 5})",
        R"({"draw": "randint", "low": 0.5, "high": 5})", R"({"draw": "full"})",
        R"({"draw": "full", "value": "x"})", R"({"draw": "full", "value": {"float": "x"}})",
        R"({"draw": "randn", "std": -1})", R"({"draw": "rand", "scale": {"float": "inf"}})",
        R"({"draw": null, "scale": 2})", R"({"draw": "rand", "low": 3, "high": 2})"})
    EXPECT_FALSE(draw_from_json(*parse_json(text, "a test"))) << text;
}

TEST(Draws, WhatDoesNotFitTheTensorIsRefused) {
  struct Case {
    TensorSpec spec;
    const char* text;
  };
  for (const Case& c :
       {Case{{Dtype::i32, {2}, {}}, R"({"draw": "randn"})"},
        Case{{Dtype::i32, {2}, {}}, R"({"draw": "randint", "low": 0, "high": 9, "scale": 0.5})"},
        Case{{Dtype::i8, {2}, {}}, R"({"draw": "randint", "low": 0, "high": 129})"},
        Case{{Dtype::u8, {2}, {}}, R"({"draw": "randint", "low": -1, "high": 5})"},
        Case{{Dtype::boolean, {2}, {}}, R"({"draw": "randint", "low": 0, "high": 3})"},
        Case{{Dtype::i64, {2, 2}, {}}, R"({"draw": "randperm"})"},
        Case{{Dtype::i8, {300}, {}}, R"({"draw": "arange", "low": 0, "high": 300})"},
        Case{{Dtype::i64, {2}, {}}, R"({"draw": "full", "value": {"float": "nan"}})"}}) {
    std::vector<std::byte> memory(c.spec.span_bytes());
    EXPECT_FALSE(draw(c.spec, draw_of(c.text), stream(), memory.data())) << c.text;
  }
}

}  // namespace
}  // namespace assay
