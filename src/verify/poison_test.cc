#include "verify/poison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "verify/number.h"

namespace assay {
namespace {

RandomStream stream(int window) { return {Seed{}, "window " + std::to_string(window)}; }

TEST(Poison, FloatsAreNaNThatNobodyMakes) {
  for (Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16})
    for (int window = 0; window < 50; ++window) {
      Poison poison(stream(window));
      std::vector<std::byte> memory(1000 * bytes_of(dtype));
      poison.fill(dtype, memory);
      std::vector<double> values(1000);
      load_block(dtype, memory.data(), 1000, values.data());
      for (double value : values) ASSERT_TRUE(std::isnan(value));
      EXPECT_EQ(poison.find(dtype, memory).count, 1000u);
      // What arithmetic makes is not taken for it.
      for (double value : {std::nan(""), -std::nan(""), 0.0, 1.0, double{INFINITY}}) {
        std::fill(values.begin(), values.end(), value);
        store_block(dtype, values.data(), 1000, memory.data());
        EXPECT_EQ(poison.find(dtype, memory).count, 0u);
      }
    }
}

TEST(Poison, WhatIsLeftIsFoundInEachType) {
  for (const auto& [dtype, word] : kDtypeWords) {
    Poison poison(stream(1));
    constexpr uint64_t kElements = 5000, kFirst = 4090, kLeft = 64;
    std::vector<std::byte> memory(kElements * bytes_of(dtype));
    poison.fill(dtype, memory);
    uint64_t at = kFirst * bytes_of(dtype), end = at + kLeft * bytes_of(dtype);
    std::fill(memory.begin(), memory.begin() + static_cast<int64_t>(at), std::byte{1});
    std::fill(memory.begin() + static_cast<int64_t>(end), memory.end(), std::byte{1});
    Poison::Found found = poison.find(dtype, memory);
    EXPECT_EQ(found.count, kLeft) << word;
    EXPECT_EQ(found.first, kFirst) << word;
    EXPECT_EQ(Poison(stream(2)).find(dtype, memory).count, 0u) << "another window's";
  }
}

TEST(Poison, WholeNumbersThatHoldItByChanceAreNotCounted) {
  Poison poison(stream(1));
  std::vector<std::byte> memory(100'000);
  poison.fill(Dtype::i8, memory);
  for (size_t i = 0; i < memory.size(); i += 8) memory[i] ^= std::byte{1};
  EXPECT_EQ(poison.find(Dtype::i8, memory).count, 0u);
}

TEST(RedZone, TheFirstDamagedByteIsFound) {
  RedZone zone(stream(1));
  std::vector<std::byte> memory(10'000);
  zone.fill(4096, memory);
  EXPECT_EQ(zone.first_damaged(4096, memory), std::nullopt);
  EXPECT_NE(zone.first_damaged(0, memory), std::nullopt) << "another zone's";
  memory[9'999] ^= std::byte{0x80};
  EXPECT_EQ(zone.first_damaged(4096, memory), 9'999u);
  memory[4'097] ^= std::byte{1};
  EXPECT_EQ(zone.first_damaged(4096, memory), 4'097u);
}

TEST(RedZone, HalfOfWhatIsReadThereIsNaN) {
  std::vector<std::byte> memory(8000);
  RedZone(stream(1)).fill(0, memory);
  for (Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16}) {
    uint64_t count = memory.size() / bytes_of(dtype), nan = 0;
    std::vector<double> values(count);
    load_block(dtype, memory.data(), count, values.data());
    for (double value : values) nan += std::isnan(value);
    EXPECT_GE(nan, count / 2);
  }
}

}  // namespace
}  // namespace assay
