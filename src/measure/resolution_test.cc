#include "measure/resolution.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fakes/numbers.h"
#include "fakes/windows.h"

namespace assay {
namespace {

TEST(Resolution, IsTheDeadBandWhereNothingScattersAndWindowsCostNothing) {
  auto found = resolution_of(fake_windows({.null_ns = 0, .launches = 24}), 24, kSecond / 4);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->in_a_minute, 24);
  EXPECT_EQ(found->launches, 24);
  EXPECT_EQ(found->call_ns, 1'000'000);
  EXPECT_NEAR(found->smallest(), kDeadBand, 1e-12);
}

// Ratios lie evenly from -0.23 to 0.23 over 24 launches, 0.02 apart; the sixth from both ends.
TEST(Resolution, ScatterIsHalfTheInterval) {
  auto found =
      resolution_of(fake_windows({.null_ns = 0, .spread = 0.23, .launches = 24}), 24, kSecond);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->scatter, 0.13, 1e-6);
  EXPECT_NEAR(found->smallest(), kDeadBand + 0.26, 1e-6);
}

TEST(Resolution, WhatAWindowCostsMayHideAsMuch) {
  auto found = resolution_of(fake_windows({.null_ns = 20e3, .launches = 12}), 12, kSecond);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->null_cpu_ns, 20'000);
  EXPECT_NEAR(found->window_cost, -std::log(0.98), 1e-9);
}

// Where a launch takes long, fewer fit: the first and the last of six here.
TEST(Resolution, CountsTheLaunchesThatAMinuteHasRoomFor) {
  const auto windows = fake_windows({.null_ns = 0, .spread = 0.23, .launches = 24});
  auto found = resolution_of(windows, 24, 10 * kSecond);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->in_a_minute, 6);
  EXPECT_NEAR(found->scatter, 0.05, 1e-6);
  EXPECT_EQ(resolution_of(windows, 24, 100 * kSecond)->in_a_minute, 1);
}

TEST(Resolution, FailsWhereNoClockMoves) {
  auto found = resolution_of(fake_windows({.candidate_ns = 0, .launches = 1}), 1, kSecond);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("took no CPU time"), std::string::npos);
}

}  // namespace
}  // namespace assay
