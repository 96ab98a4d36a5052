#include "model/timing.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

Timing example() {
  Timing timing;
  timing.metric = Metric::wall;
  timing.cache = CacheMode::cold;
  timing.threads = 2;
  timing.provisional = true;
  timing.cpu = {1000, 900, 1300};
  timing.wall = {600, 500, 700};
  timing.process = {30'000'000, 4000, std::nullopt};
  timing.bytes = 123456;
  timing.flops = 654321;
  timing.bound_ns = 250.5;
  timing.labels = {"suspicious"};
  timing.speedups = {
      {"eager", 1.5, 1.4, 1.6, Outcome::faster, "", {2, 1, 3}, {5, 4, 6}},
      {"inductor", 1.0, 0.9, 1.1, Outcome::undecided, "noisy", {2, 1, 3}, {5, 4, 6}}};
  timing.speedups[0].sol_score = 0.75;
  timing.speedups[0].process = {20'000'000, 5000, 1 << 20};
  return timing;
}

TEST(Timing, IsReadAsItWasWritten) {
  auto read = timing_from_json(to_json(example()));
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(*read, example());
}

TEST(Timing, WhatContradictsItselfIsRefused) {
  Timing outside = example();
  outside.speedups[0].low = 1.7;
  EXPECT_FALSE(timing_from_json(to_json(outside)));
  Timing no_reason = example();
  no_reason.speedups[1].reason.clear();
  EXPECT_FALSE(timing_from_json(to_json(no_reason)));
  Timing of_nothing = example();
  of_nothing.speedups.clear();
  EXPECT_FALSE(timing_from_json(to_json(of_nothing)));
  Json without = to_json(example());
  without.erase("cpu");
  EXPECT_FALSE(timing_from_json(without));
  Json other_word = to_json(example());
  other_word["metric"] = "stopwatch";
  EXPECT_FALSE(timing_from_json(other_word));
}

}  // namespace
}  // namespace assay
