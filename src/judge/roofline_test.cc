#include "judge/roofline.h"

#include <gtest/gtest.h>

#include "fakes/calibration.h"

namespace assay {
namespace {

const Calibration kMachine = fake_calibration();

TEST(Roofline, BytesComeFromWhereTheyAre) {
  EXPECT_NEAR(ns_for_bytes(10'000, CacheMode::hot, 1, kMachine), 100, 1e-9);
  EXPECT_NEAR(ns_for_bytes(10'000, CacheMode::cold, 1, kMachine), 1000, 1e-3);
  // More than all of the cache is never faster than memory alone and the cache beside it.
  const double large_ns = ns_for_bytes(100'000'000, CacheMode::hot, 1, kMachine);
  EXPECT_GT(large_ns, 0.9 * 1e7);
  EXPECT_LE(large_ns, 1e7);
}

TEST(Roofline, OperationsThatNobodyCountedBoundNothing) {
  Work work{.type = "f32", .bytes = 1000};
  EXPECT_FALSE(ns_for_flops(work, 1, kMachine));
  work.flops = 0;
  EXPECT_FALSE(ns_for_flops(work, 1, kMachine));
  work.flops = 5'000'000;
  EXPECT_NEAR(*ns_for_flops(work, 1, kMachine), 100'000, 1e-6);
  EXPECT_NEAR(*bound_ns(work, CacheMode::hot, 1, kMachine), 100'000, 1e-6);
  EXPECT_EQ(type_without_peak(work, kMachine), "");
  // The CPU has no instructions for it. What it moves is no bound of what it computes.
  work.type = "f16";
  EXPECT_FALSE(ns_for_flops(work, 1, kMachine));
  EXPECT_FALSE(bound_ns(work, CacheMode::hot, 1, kMachine));
  EXPECT_EQ(type_without_peak(work, kMachine), "f16");
  work.flops = 0;
  EXPECT_NEAR(*bound_ns(work, CacheMode::hot, 1, kMachine), 10, 1e-9);
  EXPECT_EQ(type_without_peak(work, kMachine), "");
}

TEST(Roofline, TheScoreIsOneAtTheBoundAndAHalfAtTheBaseline) {
  EXPECT_NEAR(*sol_score(100, 300, 100), 1, 1e-12);
  EXPECT_NEAR(*sol_score(300, 300, 100), 0.5, 1e-12);
  EXPECT_NEAR(*sol_score(200, 300, 100), 2.0 / 3, 1e-12);
  EXPECT_LT(*sol_score(1000, 300, 100), 0.5);
  EXPECT_NEAR(*sol_score(50, 300, 100), 1, 1e-12);
  EXPECT_FALSE(sol_score(50, 100, 100)) << "there is no room";
}

}  // namespace
}  // namespace assay
