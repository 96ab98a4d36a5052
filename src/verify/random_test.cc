#include "verify/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "verify/distributions.h"

namespace assay {
namespace {

Seed a_seed(uint8_t first = 7) {
  Seed seed;
  seed.bytes[0] = first;
  return seed;
}

// The largest distance between the numbers' distribution and the one with this distribution
// function, times the root of their count: above 1.95 in one of 1000 cases where they are the same.
template <class Distribution>
double kolmogorov_smirnov(std::vector<double> values, Distribution distribution) {
  std::ranges::sort(values);
  double most = 0;
  auto count = static_cast<double>(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    double expected = distribution(values[i]);
    most = std::max({most, expected - static_cast<double>(i) / count,
                     static_cast<double>(i + 1) / count - expected});
  }
  return most * std::sqrt(count);
}

TEST(Random, SeedsAreFreshAndCanBeGivenAgain) {
  Seed one = *Seed::secret(), other = *Seed::secret();
  EXPECT_NE(one, other);
  EXPECT_EQ(*Seed::from_hex(one.hex()), one);
  EXPECT_EQ(one.hex().size(), 64u);
  for (const char* text : {"", "12", "zz"}) EXPECT_FALSE(Seed::from_hex(text)) << text;
  EXPECT_FALSE(Seed::from_hex(std::string(64, 'g')));
  EXPECT_FALSE(Seed::from_hex(one.hex() + "0"));
}

// Chosen once; a change would make recorded seeds worthless.
TEST(Random, TheSequenceIsFixed) {
  RandomStream stream(Seed{}, "input 0, round 0");
  std::vector<uint32_t> words(4);
  stream.words(0, words);
  EXPECT_EQ(words, (std::vector<uint32_t>{0x05111ee3, 0x9cb25d1d, 0x9b3e632d, 0x54ee36e4}));
}

TEST(Random, AnyPartCanBeHadAtAnyTime) {
  RandomStream stream(a_seed(), "x");
  std::vector<uint32_t> all(2000);
  stream.words(0, all);
  for (uint64_t first : {0u, 1u, 255u, 256u, 300u, 999u})
    for (size_t count : {1u, 2u, 256u, 257u, 1000u}) {
      std::vector<uint32_t> part(count);
      stream.words(first, part);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + static_cast<int>(first)));
    }
  EXPECT_EQ(stream.number(3), all[6] | (uint64_t{all[7]} << 32));
}

TEST(Random, StreamsDifferByNameSeedAndParent) {
  std::set<uint64_t> first;
  for (const RandomStream& stream :
       {RandomStream(a_seed(), "a"), RandomStream(a_seed(), "b"), RandomStream(a_seed(8), "a"),
        RandomStream(a_seed(), "a").named("a"), RandomStream(a_seed(), "a").named("b")})
    first.insert(stream.number(0));
  EXPECT_EQ(first.size(), 5u);
}

TEST(Random, BitsAndBytesAreEven) {
  std::vector<uint32_t> words(1 << 18);
  RandomStream(a_seed(), "bits").words(12345, words);
  auto count = static_cast<double>(words.size());
  for (int bit = 0; bit < 32; ++bit) {
    double ones = 0;
    for (uint32_t word : words) ones += (word >> bit) & 1;
    EXPECT_NEAR(ones / count, 0.5, 5 * 0.5 / std::sqrt(count)) << bit;
  }
  std::vector<double> bytes(256);
  for (uint32_t word : words)
    for (int i = 0; i < 4; ++i) bytes[(word >> (8 * i)) & 255] += 1;
  double chi = 0, expected = 4 * count / 256;
  for (double found : bytes) chi += (found - expected) * (found - expected) / expected;
  EXPECT_NEAR(chi, 255, 6 * std::sqrt(2 * 255.0));
}

TEST(Distributions, UniformNumbersAre) {
  for (int bits : {8, 11, 24, 32, 53}) {
    std::vector<double> values(100'000);
    uniform(RandomStream(a_seed(), "u"), 17, bits, values);
    EXPECT_GE(std::ranges::min(values), 0.0);
    EXPECT_LT(std::ranges::max(values), 1.0);
    // Half a step is how far a coarse distribution is from an even one.
    double step = std::ldexp(1.0, -bits);
    double distance = kolmogorov_smirnov(values, [&](double x) { return x + step / 2; });
    EXPECT_LT(distance, 1.95 + step * std::sqrt(100'000.0)) << bits;
    EXPECT_EQ(values[5], std::ldexp(std::floor(std::ldexp(values[5], bits)), -bits));
  }
}

TEST(Distributions, NormalNumbersAre) {
  std::vector<double> values(200'000);
  normal(RandomStream(a_seed(), "n"), 3, values);
  EXPECT_LT(kolmogorov_smirnov(values, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2)); }),
            1.95);
  double sum = 0, squares = 0, fourth = 0, neighbours = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    double x = values[i];
    sum += x, squares += x * x, fourth += x * x * x * x;
    if (i > 0) neighbours += x * values[i - 1];
  }
  auto count = static_cast<double>(values.size());
  EXPECT_NEAR(sum / count, 0, 5 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 5 * std::sqrt(2 / count));
  EXPECT_NEAR(fourth / count, 3, 5 * std::sqrt(96 / count));
  EXPECT_NEAR(neighbours / count, 0, 5 / std::sqrt(count));
}

// Against the C library, which takes no part in drawing.
TEST(Distributions, NormalNumbersAreThoseOfBoxAndMuller) {
  RandomStream stream(a_seed(), "n");
  std::vector<uint32_t> words(2000);
  stream.words(0, words);
  std::vector<double> values(2000);
  normal(stream, 0, values);
  for (size_t i = 0; i < values.size(); i += 2) {
    double radius = std::sqrt(-2 * std::log((words[i] + 0.5) * 0x1p-32));
    EXPECT_NEAR(std::hypot(values[i], values[i + 1]), radius, 1e-14 * radius);
  }
}

TEST(Distributions, WholeNumbersAreEvenAndInTheirRange) {
  std::vector<int64_t> values(60'000);
  integers(RandomStream(a_seed(), "i"), 5, -3, 6, values);
  std::vector<double> found(6);
  for (int64_t value : values) {
    ASSERT_GE(value, -3);
    ASSERT_LT(value, 3);
    found[static_cast<size_t>(value + 3)] += 1;
  }
  for (double count : found) EXPECT_NEAR(count, 10'000, 5 * std::sqrt(10'000.0));
  std::vector<int64_t> wide(1000);
  integers(RandomStream(a_seed(), "i"), 0, INT64_MIN, UINT64_MAX, wide);
  EXPECT_LT(std::ranges::min(wide), INT64_MIN / 2);
  EXPECT_GT(std::ranges::max(wide), INT64_MAX / 2);
}

TEST(Distributions, AnyPartIsTheSame) {
  RandomStream stream(a_seed(), "p");
  std::vector<double> all(3000), part(700);
  normal(stream, 0, all);
  for (uint64_t first : {0u, 1u, 511u, 2048u}) {
    normal(stream, first, part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + static_cast<int>(first)));
  }
}

}  // namespace
}  // namespace assay
