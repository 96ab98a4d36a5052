#include "verify/flaws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fakes/numbers.h"
#include "verify/distributions.h"
#include "verify/number.h"
#include "verify/random.h"

namespace assay {
namespace {

using Draws = std::vector<std::vector<double>>;

std::vector<double> normals(uint64_t count, int draw, double scale = 1, double shift = 0) {
  std::vector<double> values(count);
  normal(RandomStream(Seed{}, std::to_string(draw)), 0, values);
  for (double& value : values) value = value * scale + shift;
  return values;
}

Draws drawn(int draws, uint64_t count, double scale = 1, double shift = 0) {
  Draws all;
  for (int draw = 0; draw < draws; ++draw) all.push_back(normals(count, draw, scale, shift));
  return all;
}

std::vector<std::byte> stored(Dtype dtype, const std::vector<double>& values) {
  std::vector<std::byte> memory(values.size() * bytes_of(dtype));
  store_block(dtype, values.data(), values.size(), memory.data());
  return memory;
}

// The words that are said of these draws, and with `exact` what they are in double.
std::string words(const TensorSpec& spec, const Draws& draws, const Draws& exact = {}) {
  ResultValues seen(spec, unit_roundoff(spec.dtype));
  for (size_t i = 0; i < draws.size(); ++i)
    seen.add(stored(spec.dtype, draws[i]).data(), exact.empty() ? nullptr : exact[i].data());
  std::string all;
  for (const Flaw& flaw : seen.flaws()) {
    EXPECT_FALSE(flaw.says.empty());
    all += (all.empty() ? "" : " ") + std::string(to_word(kFlawWords, flaw.kind));
  }
  return all;
}

std::string words(const Draws& draws, const Draws& exact = {}) {
  return words({Dtype::f32, {static_cast<int64_t>(draws[0].size())}, {}}, draws, exact);
}

TEST(Flaws, HonestResultsHaveNone) {
  for (double scale : {1e-1, 1.0, 1e6}) EXPECT_EQ(words(drawn(4, 1000, scale)), "");
  EXPECT_EQ(words({{0.9}, {1.3}, {0.7}, {1.1}}), "");  // a loss
  EXPECT_EQ(words({Dtype::i64, {5}, {}}, {{1, 2, 3, 4, 0}, {4, 2, 0, 0, 1}}), "");
}

TEST(Flaws, ConstantIsOneNumberUpToSixteenRoundings) {
  EXPECT_EQ(words({{2.5, 2.5}, {2.5, 2.5}}), "constant");
  EXPECT_EQ(words({{2.5}, {2.5}}), "constant");
  EXPECT_EQ(words(drawn(4, 1000, 8 * 0x1p-24, 1)), "constant");
  EXPECT_EQ(words({Dtype::i64, {2}, {}}, {{7, 7}, {7, 7}}), "constant");
  // Above that it is no more than within tolerance, and in double it is none of the kind.
  EXPECT_EQ(words(drawn(4, 1000, 64 * 0x1p-24, 1)), "tolerance");
  EXPECT_EQ(words({Dtype::f64, {1000}, {}}, drawn(4, 1000, 0x1p-24, 1)), "tolerance");
}

TEST(Flaws, SameValuesForEachSeed) {
  auto once = normals(1000, 1);
  EXPECT_EQ(words({once, once, once}), "same");
  auto nearly = once;
  for (double& value : nearly) value *= 1 + 0x1p-23;
  EXPECT_EQ(words({once, nearly}), "same");
  auto moved = once;
  moved[3] += 1;
  EXPECT_EQ(words({once, moved}), "");
}

TEST(Flaws, ZerosAndSubnormalNumbersVanish) {
  EXPECT_EQ(words({{0, 0, 0}, {0, 0, 0}}), "vanishes");
  EXPECT_EQ(words({{0, 1e-40, 0}, {0, -1e-39, 0}}), "vanishes");
  EXPECT_EQ(words({Dtype::f16, {2}, {}}, {{1e-6, 2e-6}, {1e-6, 3e-6}}), "vanishes");
  EXPECT_EQ(words({Dtype::boolean, {2}, {}}, {{0, 0}, {0, 0}}), "vanishes");
}

TEST(Flaws, WhatRoundingLeavesCancels) {
  Draws noise = drawn(2, 1000, 1e-8), exact = drawn(2, 1000, 1e-17);
  EXPECT_EQ(words(noise, exact), "cancels");
  // An error of a thousandth is inexact, and no more.
  Draws values = drawn(2, 1000), near = values;
  for (auto& draw : near)
    for (double& value : draw) value *= 1.001;
  EXPECT_EQ(words(values, near), "");
}

TEST(Flaws, NanFlagsAndSomeInfinitiesDoNot) {
  Draws some = drawn(2, 100);
  some[1][7] = kInfinity;
  EXPECT_EQ(words(some), "");
  some[1][8] = kNan;
  EXPECT_EQ(words(some), "non-finite");
  EXPECT_EQ(words({{kInfinity, kInfinity, 1}, {kInfinity, kInfinity, 2}}), "non-finite");
}

TEST(Flaws, ToleranceIsThatOfAllclose) {
  EXPECT_EQ(words(drawn(4, 1000, 1e-5)), "tolerance");
  // |1 - 1.019| <= 0.01 + 0.01 * 1.019, so 1 passes for all from there down to 0.99.
  EXPECT_EQ(words({{0.995, 1.019}, {1.0, 1.01}}), "tolerance");
  EXPECT_EQ(words({{0.97, 1.03}, {1.0, 1.01}}), "");
}

TEST(Flaws, SlicesAreFoundAlongAnyDimension) {
  for (size_t dimension : {0u, 1u, 2u}) {
    TensorSpec spec{Dtype::f32, {3, 4, 5}, {}};
    Draws draws;
    for (int draw = 0; draw < 2; ++draw) {
      auto values = normals(60, draw);
      for (int i = 0; i < 60; ++i) {
        int at[] = {i / 20, i / 5 % 4, i % 5};
        at[dimension] = 0;
        values[static_cast<size_t>(i)] =
            values[static_cast<size_t>(at[0] * 20 + at[1] * 5 + at[2])];
      }
      draws.push_back(values);
    }
    EXPECT_EQ(words(spec, draws), "slices") << dimension;
    draws[1][59] += 1;
    EXPECT_EQ(words(spec, draws), "") << dimension;
  }
}

TEST(Flaws, DifferencesAreAboveRounding) {
  auto a = normals(2000, 1), b = a;
  auto differs = [&](double unit, bool exact) {
    auto bytes = [](const std::vector<double>& values) {
      return reinterpret_cast<const std::byte*>(values.data());
    };
    return differ(Dtype::f64, a.size(), bytes(a), bytes(b), unit, exact);
  };
  constexpr double kUnit = 0x1p-24;
  for (double& value : b) value *= 1 + 0x1p-50;
  EXPECT_FALSE(differs(kUnit, true));
  b[1999] += 1e-6;  // what single precision shows
  EXPECT_TRUE(differs(kUnit, true));
  b[1999] = kInfinity;
  EXPECT_TRUE(differs(kUnit, true));
  EXPECT_TRUE(differs(kUnit, false));
  a[1999] = kInfinity;
  EXPECT_FALSE(differs(kUnit, true));
}

}  // namespace
}  // namespace assay
