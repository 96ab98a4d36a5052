// targets/link/float_math.c, built for this machine, against the C library.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace soft {
#include "../targets/link/float_math.c"
}  // namespace soft

namespace {

// Numbers of every kind, and many that stand for the rest.
std::vector<float> floats() {
  std::vector<float> values{0.0F, -0.0F, 1.0F, -1.0F};
  for (uint32_t bits : {0x00000001u, 0x007fffffu, 0x00800000u, 0x7f7fffffu, 0x7f800000u,
                        0x7fc00000u, 0x7f800001u, 0x3f7fffffu, 0x3f800001u})
    for (uint32_t sign : {0u, 0x80000000u}) values.push_back(std::bit_cast<float>(bits | sign));
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 99991)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return values;
}

bool same(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

TEST(FloatMath, RootsAreExactAndLogarithmsNearlySo) {
  for (float x : floats()) {
    EXPECT_TRUE(same(soft::sqrtf(x), std::sqrt(x))) << x;
    float expected = static_cast<float>(std::log10(static_cast<double>(x)));
    float log = soft::log10f(x);
    EXPECT_TRUE(same(log, expected) || std::nextafter(log, expected) == expected)
        << x << ": " << log << ", not " << expected;
  }
}

TEST(FloatMath, ExtremesFollowTheirStandards) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> some{0.0F,
                          -0.0F,
                          1.0F,
                          -1.0F,
                          2.5F,
                          -2.5F,
                          1e-40F,
                          -1e-40F,
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()};
  for (float x : some) {
    for (float y : some) {
      // The C library may give either zero.
      float larger = x == y ? (std::signbit(x) ? y : x) : std::fmax(x, y);
      float smaller = x == y ? (std::signbit(x) ? x : y) : std::fmin(x, y);
      EXPECT_TRUE(same(soft::fmaxf(x, y), larger)) << x << " " << y;
      EXPECT_TRUE(same(soft::fmaximumf(x, y), larger)) << x << " " << y;
      EXPECT_TRUE(same(soft::fminf(x, y), smaller)) << x << " " << y;
      EXPECT_TRUE(same(soft::fminimumf(x, y), smaller)) << x << " " << y;
    }
    EXPECT_TRUE(same(soft::fmaxf(x, nan), x) && same(soft::fmaxf(nan, x), x));
    EXPECT_TRUE(same(soft::fminf(x, nan), x) && same(soft::fminf(nan, x), x));
    for (auto* function : {soft::fmaximumf, soft::fminimumf})
      EXPECT_TRUE(std::isnan(function(x, nan)) && std::isnan(function(nan, x)));
  }
  EXPECT_TRUE(std::isnan(soft::fmaxf(nan, nan)) && std::isnan(soft::fminf(nan, nan)));
}

TEST(FloatMath, Bfloat16IsRoundedToEven) {
  for (float x : floats()) {
    uint32_t back = static_cast<uint32_t>(soft::__truncsfbf2(x)) << 16;
    float rounded = std::bit_cast<float>(back);
    if (std::isnan(x)) {
      EXPECT_TRUE(std::isnan(rounded));
    } else if (std::isfinite(rounded)) {
      float above = std::bit_cast<float>(back + 0x10000),
            below = std::bit_cast<float>(back - 0x10000);
      double error = std::abs(static_cast<double>(x) - static_cast<double>(rounded));
      for (float other : {above, below}) {
        if (!std::isfinite(other)) continue;
        double others = std::abs(static_cast<double>(x) - static_cast<double>(other));
        EXPECT_TRUE(error < others || (error == others && (back & 0x10000) == 0) || rounded == 0)
            << x;
      }
    }
  }
}

}  // namespace
