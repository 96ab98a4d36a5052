#include "judge/profile.h"

#include <gtest/gtest.h>

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
  const auto profile = profile_of(measured, "iree", 2'000'000, nullptr);
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

TEST(Profile, LeavesOutWindowsWhoseClocksDisagree) {
  Measured measured = one_launch(3);
  for (WindowRecord& window : measured.windows) window.process_cpu_ns = 2 * window.cpu_ns + 100'000;
  EXPECT_FALSE(profile_of(measured, "iree", std::nullopt, nullptr));
}

}  // namespace
}  // namespace assay
