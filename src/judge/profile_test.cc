#include "judge/profile.h"

#include <gtest/gtest.h>

#include "fakes/calibration.h"
#include "fakes/windows.h"

namespace assay {
namespace {

// Of the side alone, in one launch.
Measured one_launch(int windows) {
  Measured measured = fake_measured({.candidate_ns = 100'000, .launches = 1, .pairs = windows});
  std::erase_if(measured.windows, [](const WindowRecord& each) { return each.side != 0; });
  return measured;
}

TEST(Profile, IsTheMedianLessWhatAWindowCosts) {
  Measured measured = one_launch(12);
  int n = 0;
  for (WindowRecord& window : measured.windows)
    if (window.use == WindowUse::pair) window.cpu_ns += 100 * n++;
  const auto profile = profile_of(measured, "iree", {.flops = 2'000'000}, nullptr);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->windows, 12);
  EXPECT_EQ(profile->window_ns, 20'000);
  EXPECT_DOUBLE_EQ(profile->min_ns, 80'000);
  EXPECT_DOUBLE_EQ(profile->median_ns, 80'550);
  EXPECT_DOUBLE_EQ(profile->low_ns, 80'200) << "the third of twelve";
  EXPECT_DOUBLE_EQ(profile->high_ns, 80'900);
  EXPECT_EQ(profile->flops, 2'000'000);
  EXPECT_FALSE(profile->bound_ns);
}

TEST(Profile, HasTheBoundOfItsWork) {
  const Calibration machine = fake_calibration();
  Measured measured = one_launch(6);
  measured.work = {.type = "f32", .bytes = 1000};
  const auto floating = profile_of(measured, "iree", {.flops = 5'000'000}, &machine);
  ASSERT_TRUE(floating && floating->bound_ns);
  EXPECT_NEAR(*floating->bound_ns, 100'000, 1e-6);
  measured.work.type = "f16";
  const auto half = profile_of(measured, "iree", {.flops = 5'000'000}, &machine);
  ASSERT_TRUE(half);
  EXPECT_FALSE(half->bound_ns) << "the peak of f32 says nothing of it";
  EXPECT_EQ(half->type_without_peak, "f16");
  EXPECT_EQ(half->flops, 5'000'000);
}

TEST(Profile, AgreesWithARunnerThatCostsMore) {
  Profile direct, other;
  direct.median_ns = 10'000;
  other.runner = "iree";
  for (auto [ns, agrees] :
       {std::pair{12'000, true}, {60'000, true}, {400'000, false}, {9'000, true}, {1'000, false}}) {
    other.median_ns = ns;
    EXPECT_EQ(check_of(direct, other).agrees, agrees) << ns;
  }
}

TEST(Profile, LeavesOutWindowsWhoseClocksDisagree) {
  Measured measured = one_launch(3);
  for (WindowRecord& window : measured.windows) window.process_cpu_ns = 2 * window.cpu_ns + 100'000;
  EXPECT_FALSE(profile_of(measured, "iree", {}, nullptr));
}

}  // namespace
}  // namespace assay
