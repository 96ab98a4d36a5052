#include "report/estimators.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace assay {
namespace {

// Calls `take(drawn)` for each way to draw k of n, as a set of bits.
template <class Take>
void each_draw(size_t n, size_t k, Take take) {
  for (unsigned drawn = 0; drawn < 1U << n; ++drawn)
    if (std::popcount(drawn) == static_cast<int>(k)) take(drawn);
}

TEST(Estimators, PassAtIsWhatAllDrawsGive) {
  for (size_t n = 1; n <= 8; ++n)
    for (size_t c = 0; c <= n; ++c)
      for (size_t k = 1; k <= n; ++k) {
        double draws = 0, passed = 0;
        each_draw(n, k, [&](unsigned drawn) {
          ++draws;
          if (drawn & ((1U << c) - 1)) ++passed;  // the first c are right
        });
        EXPECT_NEAR(pass_at(k, n, c), passed / draws, 1e-12) << n << " " << c << " " << k;
      }
}

TEST(Estimators, PassAtOfFewerThanKIsThatOfAll) {
  EXPECT_EQ(pass_at(5, 1, 1), 1);
  EXPECT_EQ(pass_at(5, 3, 0), 0);
  EXPECT_EQ(pass_at(5, 3, 1), 1);
}

// C(1000, 100) fits into no number; the estimate does.
TEST(Estimators, PassAtTakesManyCandidates) { EXPECT_NEAR(pass_at(100, 1000, 1), 0.1, 1e-12); }

TEST(Estimators, BestAtIsWhatAllDrawsGive) {
  const std::vector<double> values{0.3, -1.5, 0, 2.5, 0.7, 0};
  for (size_t n = 1; n <= values.size(); ++n)
    for (size_t k = 1; k <= n; ++k) {
      double draws = 0, sum = 0;
      each_draw(n, k, [&](unsigned drawn) {
        double best = -std::numeric_limits<double>::infinity();
        for (size_t i = 0; i < n; ++i)
          if (drawn >> i & 1) best = std::max(best, values[i]);
        sum += best;
        ++draws;
      });
      EXPECT_NEAR(best_at(k, std::span(values).first(n)), sum / draws, 1e-12) << n << " " << k;
    }
  EXPECT_EQ(best_at(9, values), 2.5);
}

TEST(Estimators, GeometricMeansByHand) {
  EXPECT_FALSE(geometric_mean({}));
  EXPECT_NEAR(*geometric_mean(std::vector{log_in_mean(2), log_in_mean(8)}), 4, 1e-12);
  EXPECT_NEAR(*geometric_mean(std::vector{log_in_mean(2), log_in_mean(0.5)}), 1, 1e-12);
}

TEST(Estimators, NoSingleSpeedUpMakesAMean) {
  const double least = std::numeric_limits<double>::denorm_min();
  const double most = std::numeric_limits<double>::max();
  EXPECT_NEAR(*geometric_mean(std::vector{log_in_mean(least)}), 0.01, 1e-12);
  EXPECT_NEAR(*geometric_mean(std::vector{log_in_mean(most)}), 100, 1e-9);
  EXPECT_NEAR(*geometric_mean(std::vector{log_in_mean(most), log_in_mean(1)}), 10, 1e-9);
}

}  // namespace
}  // namespace assay
