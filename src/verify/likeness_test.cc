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

// What a language model says next, position by position.
TEST(Likeness, TellsWhichPositionsAreOthersAndWhichAreClose) {
  constexpr int64_t kColumns = 20, kRows = 40;
  std::vector<double> exact(kRows * kColumns);
  for (int64_t row = 0; row < kRows; ++row) {
    exact[static_cast<size_t>(row * kColumns + row % kColumns)] = 10;
    exact[static_cast<size_t>(row * kColumns + (row + 1) % kColumns)] =
        9 - 0.1 * static_cast<double>(row);
  }
  std::vector<float> candidate(exact.begin(), exact.end());
  const std::vector<float> baseline = candidate;
  candidate[7 * kColumns + 8] = 11;   // the next best
  candidate[33 * kColumns + 2] = 11;  // far from it
  const auto found = of(candidate, baseline, exact, {4, 10, kColumns});
  ASSERT_TRUE(found && found->choices);
  const Json closest = to_json(*found)["choices"]["closest"];
  ASSERT_EQ(closest.size(), kMostChoices);
  EXPECT_EQ(closest[0], (Json{{"position", {3, 3}},
                              {"exact", 13},
                              {"candidate", 2},
                              {"baseline", 13},
                              {"margin", exact[33 * kColumns + 13] - exact[33 * kColumns + 14]},
                              {"less", 10.0}}));
  EXPECT_EQ(closest[1]["position"], (Json{0, 7}));
  EXPECT_EQ(closest[1]["candidate"], 8);
  EXPECT_EQ(closest[2]["position"], (Json{0, 0})) << "the smallest margin of those that are right";
  EXPECT_EQ(closest[2]["margin"], 1);
  EXPECT_EQ(closest[2]["less"], 0);
  EXPECT_EQ(closest[3]["position"], (Json{0, 1}));
}

}  // namespace
}  // namespace assay
