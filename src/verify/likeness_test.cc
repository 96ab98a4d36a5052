#include "verify/likeness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay {
namespace {

std::optional<Likeness> of(const std::vector<float>& candidate, const std::vector<float>& baseline,
                           const std::vector<double>& exact, const std::vector<int64_t>& shape) {
  auto bytes = [](const auto& values) { return reinterpret_cast<const std::byte*>(values.data()); };
  return likeness({.dtype = Dtype::f32,
                   .elements = exact.size(),
                   .candidate = bytes(candidate),
                   .baseline = bytes(baseline),
                   .exact = bytes(exact)},
                  shape);
}

TEST(Likeness, IsTheAngleToTheExactResult) {
  const auto found = of({0, 2, 0}, {3, 0, 0}, {1, 1, 0}, {3});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->cosine, std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(found->baseline_cosine, std::sqrt(0.5), 1e-12);
  EXPECT_FALSE(found->choices);
  EXPECT_NEAR(of({-1, -1}, {1, 1}, {2, 2}, {2})->cosine, -1, 1e-12);
}

TEST(Likeness, OfWhatHasNoAngleThereIsNone) {
  EXPECT_FALSE(of({0, 0}, {1, 1}, {1, 1}, {2}));
  EXPECT_FALSE(of({1, NAN}, {1, 1}, {1, 1}, {2}));
  EXPECT_FALSE(of({}, {}, {}, {0}));
}

TEST(Likeness, CountsRowsWhoseLargestIsAnother) {
  constexpr int64_t kColumns = 20;
  std::vector<float> candidate(3 * kColumns), baseline(3 * kColumns);
  std::vector<double> exact(3 * kColumns);
  for (int64_t row = 0; row < 3; ++row)
    for (int64_t i = 0; i < kColumns; ++i) {
      const auto at = static_cast<size_t>(row * kColumns + i);
      exact[at] = static_cast<double>(i);
      candidate[at] = baseline[at] = static_cast<float>(i);
    }
  candidate[kColumns + 16] = 100;     // the fourth largest
  candidate[2 * kColumns + 3] = 100;  // none of five
  baseline[kColumns + 18] = 100;
  const auto found = of(candidate, baseline, exact, {3, kColumns});
  ASSERT_TRUE(found && found->choices);
  EXPECT_EQ(found->choices->rows, 3u);
  EXPECT_EQ(found->choices->same, 1u);
  EXPECT_EQ(found->choices->baseline_same, 2u);
  EXPECT_EQ(found->choices->in_five, 2u);
  EXPECT_EQ(found->choices->widest_margin, 16);
  EXPECT_FALSE(of(candidate, baseline, exact, {60})->choices) << "no rows";
}

}  // namespace
}  // namespace assay
