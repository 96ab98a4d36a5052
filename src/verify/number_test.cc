#include "verify/number.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

namespace assay {
namespace {

double value_of(Dtype dtype, uint16_t bits) {
  double value = 0;
  load_block(dtype, reinterpret_cast<const std::byte*>(&bits), 1, &value);
  return value;
}

uint16_t bits_of(Dtype dtype, double value) {
  uint16_t bits = 0;
  store_block(dtype, &value, 1, reinterpret_cast<std::byte*>(&bits));
  return bits;
}

// By the definition, without any trick.
double plain(uint16_t bits, int exponent_bits, int fraction_bits) {
  int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  double fraction = bits & ((1 << fraction_bits) - 1);
  double sign = (bits & 0x8000) != 0 ? -1 : 1;
  int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1 << exponent_bits) - 1) return fraction == 0 ? sign * INFINITY : std::nan("");
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(1 + std::ldexp(fraction, -fraction_bits), exponent - bias);
}

class Halves : public testing::TestWithParam<std::tuple<Dtype, int, int>> {};

TEST_P(Halves, AllAreExactAndComeBack) {
  auto [dtype, exponent_bits, fraction_bits] = GetParam();
  for (uint32_t i = 0; i < 65536; ++i) {
    auto bits = static_cast<uint16_t>(i);
    double expected = plain(bits, exponent_bits, fraction_bits);
    double value = value_of(dtype, bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << i;
      EXPECT_TRUE(std::isnan(value_of(dtype, bits_of(dtype, value))));
      continue;
    }
    ASSERT_EQ(value, expected) << i;
    ASSERT_EQ(std::signbit(value), std::signbit(expected)) << i;
    ASSERT_EQ(bits_of(dtype, value), bits) << i;
    ASSERT_EQ(round_to(dtype, value), value);
  }
}

// Between two neighbours: to the nearer, and from the middle to the even one.
TEST_P(Halves, RoundToTheNearestAndTiesToEven) {
  auto [dtype, exponent_bits, fraction_bits] = GetParam();
  uint32_t infinity = ((1u << exponent_bits) - 1) << fraction_bits;
  for (uint32_t i = 0; i + 1 < infinity; ++i) {
    auto low_bits = static_cast<uint16_t>(i), high_bits = static_cast<uint16_t>(i + 1);
    double low = value_of(dtype, low_bits), high = value_of(dtype, high_bits);
    double middle = (low + high) / 2;
    ASSERT_EQ(bits_of(dtype, middle), i % 2 == 0 ? low_bits : high_bits) << i;
    ASSERT_EQ(bits_of(dtype, std::nextafter(middle, 0)), low_bits) << i;
    ASSERT_EQ(bits_of(dtype, std::nextafter(middle, INFINITY)), high_bits) << i;
    ASSERT_EQ(bits_of(dtype, -std::nextafter(middle, INFINITY)), high_bits | 0x8000) << i;
    ASSERT_EQ(round_to(dtype, std::nextafter(middle, INFINITY)), high) << i;
  }
  double largest = largest_finite(dtype);
  EXPECT_EQ(value_of(dtype, static_cast<uint16_t>(infinity - 1)), largest);
  double half_step = (largest - value_of(dtype, static_cast<uint16_t>(infinity - 2))) / 2;
  EXPECT_EQ(round_to(dtype, largest + half_step), INFINITY);
  EXPECT_EQ(round_to(dtype, -1e300), -INFINITY);
  EXPECT_EQ(round_to(dtype, std::nextafter(largest + half_step, 0)), largest);
  EXPECT_EQ(value_of(dtype, 1), smallest_step(dtype));
  EXPECT_EQ(bits_of(dtype, 1e-320), 0);
}

INSTANTIATE_TEST_SUITE_P(Number, Halves,
                         testing::Values(std::tuple{Dtype::f16, 5, 10},
                                         std::tuple{Dtype::bf16, 8, 7}));

TEST(Number, WholeNumbersAndBoolsComeBack) {
  std::vector<int64_t> values{0, 1, 100, 127};
  for (Dtype dtype : {Dtype::i64, Dtype::i32, Dtype::i16, Dtype::i8, Dtype::u8}) {
    if (dtype != Dtype::u8) values.push_back(-128);
    std::array<std::byte, 64> memory{};
    std::vector<int64_t> back(values.size());
    store_integers(dtype, values.data(), values.size(), memory.data());
    load_integers(dtype, memory.data(), values.size(), back.data());
    EXPECT_EQ(back, values) << to_word(kDtypeWords, dtype);
    std::vector<double> numbers(values.size());
    load_block(dtype, memory.data(), values.size(), numbers.data());
    EXPECT_EQ(numbers.back(), static_cast<double>(values.back()));
    if (dtype != Dtype::u8) values.pop_back();
  }
  std::array<double, 3> truths{0, 0.25, -3};
  std::array<std::byte, 3> bytes;
  store_block(Dtype::boolean, truths.data(), 3, bytes.data());
  EXPECT_EQ(bytes, (std::array{std::byte{0}, std::byte{1}, std::byte{1}}));
}

}  // namespace
}  // namespace assay
