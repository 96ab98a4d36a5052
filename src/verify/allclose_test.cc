#include "verify/allclose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace assay {
namespace {

Closeness of(const std::vector<float>& a, const std::vector<float>& b, double tolerance = 1e-4) {
  const TensorSpec spec{Dtype::f32, {static_cast<int64_t>(a.size())}, {}};
  return closeness(spec, std::as_bytes(std::span(a)), std::as_bytes(std::span(b)), tolerance);
}

TEST(Allclose, IsRelativeToTheSecondAndAbsolute) {
  EXPECT_FALSE(of({0, 1, -100}, {1e-4F, 1, -100.01F}).first_beyond);
  EXPECT_EQ(of({0, 1, 100}, {1.1e-4F, 1, 100}).first_beyond, 0u);
  EXPECT_EQ(of({0, 1, 100}, {0, 1.1F, 100}).first_beyond, 1u);
  EXPECT_NEAR(of({0, 1, 100}, {0, 1.5F, 100.25F}).largest, 0.5, 1e-6);
}

TEST(Allclose, NanIsNearNothingAndInfinityIsItself) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(of({nan}, {nan}).first_beyond, 0u);
  EXPECT_FALSE(of({infinity, -infinity}, {infinity, -infinity}).first_beyond);
  EXPECT_EQ(of({infinity}, {-infinity}).first_beyond, 0u);
  EXPECT_EQ(of({1}, {infinity}).first_beyond, 0u);
}

TEST(Allclose, LooksAtEveryElement) {
  std::vector<float> a(5000, 1), b(5000, 1);
  b[4999] = 2;
  EXPECT_EQ(of(a, b).first_beyond, 4999u);
  EXPECT_EQ(of(a, b).largest, 1);
}

}  // namespace
}  // namespace assay
