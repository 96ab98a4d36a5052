// The floating-point formats of tensors as numbers: exact to double, and rounded once from it.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "model/tensor.h"
#include "verify/clones.h"

namespace assay {

double largest_finite(Dtype dtype);  // 65504 for f16. Of an integer type: its largest value
double smallest_step(Dtype dtype);   // the smallest subnormal. Of an integer type: 1

// The nearest number of a floating format, ties to even; infinite where it overflows.
double round_to(Dtype dtype, double value);

// `count` elements that lie side by side, to doubles and back. Exact to double but for 64-bit
// integers above 2^53. From double: rounded once; integers are truncated, bool is value != 0.
void load_block(Dtype dtype, const std::byte* from, uint64_t count, double* to);
void store_block(Dtype dtype, const double* from, uint64_t count, std::byte* to);
void round_block(Dtype dtype, const double* from, uint64_t count, double* to);

// Integer types and bool alone.
void load_integers(Dtype dtype, const std::byte* from, uint64_t count, int64_t* to);
void store_integers(Dtype dtype, const int64_t* from, uint64_t count, std::byte* to);

namespace number {

ASSAY_INLINE double from_bf16(uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
}

// The exponent is moved by a multiplication, which takes subnormals along.
ASSAY_INLINE double from_f16(uint16_t bits) {
  uint32_t magnitude = bits & 0x7fffu;
  uint32_t wide = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112F);
  wide = magnitude >= 0x7c00u ? (0x7f800000u | (magnitude << 13)) : wide;
  return static_cast<double>(std::bit_cast<float>(wide | ((bits & 0x8000u) << 16)));
}

// Rounds to kBits of significand with the smallest normal number 2^kLowest, in double.
template <int kBits, int kLowest>
ASSAY_INLINE double round_double(double value, double largest) {
  constexpr int kDrop = 53 - kBits;
  constexpr uint64_t kHalf = (uint64_t{1} << (kDrop - 1)) - 1;
  constexpr uint64_t kMask = ~((uint64_t{1} << kDrop) - 1);
  auto bits = std::bit_cast<uint64_t>(value);
  double normal = std::bit_cast<double>((bits + kHalf + ((bits >> kDrop) & 1)) & kMask);
  // Adding this number leaves no bits below the format's smallest step.
  constexpr double kStep = std::bit_cast<double>(uint64_t(1023 + kLowest - kBits + 1) << 52);
  constexpr double kMagic = 0x1.8p52 * kStep;
  double magnitude = std::bit_cast<double>(bits & ~(uint64_t{1} << 63));
  double subnormal = (magnitude + kMagic) - kMagic;
  constexpr double kNormal = std::bit_cast<double>(uint64_t(1023 + kLowest) << 52);
  uint64_t sign = bits & (uint64_t{1} << 63);
  subnormal = std::bit_cast<double>(std::bit_cast<uint64_t>(subnormal) | sign);
  double rounded = magnitude < kNormal ? subnormal : normal;
  double rounded_magnitude =
      std::bit_cast<double>(std::bit_cast<uint64_t>(rounded) & ~(uint64_t{1} << 63));
  double infinity = std::bit_cast<double>(
      std::bit_cast<uint64_t>(std::numeric_limits<double>::infinity()) | sign);
  rounded = rounded_magnitude > largest ? infinity : rounded;
  return value != value ? value : rounded;
}

ASSAY_INLINE double round_f16(double value) { return round_double<11, -14>(value, 65504.0); }
ASSAY_INLINE double round_bf16(double value) { return round_double<8, -126>(value, 0x1.fep127); }

ASSAY_INLINE uint16_t to_bf16(double value) {
  double rounded = round_bf16(value);
  uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(rounded));
  return static_cast<uint16_t>(value != value ? 0x7fc0u : bits >> 16);
}

ASSAY_INLINE uint16_t to_f16(double value) {
  float rounded = static_cast<float>(round_f16(value));
  uint32_t bits = std::bit_cast<uint32_t>(rounded);
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t normal = (magnitude >> 13) - (112u << 10);
  // A subnormal of f16 is a multiple of 2^-24.
  auto subnormal = static_cast<uint32_t>(static_cast<int32_t>(
      std::bit_cast<float>(magnitude < 0x38800000u ? magnitude : 0) * 0x1p24F));
  uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x7f800000u ? 0x7c00u : result;
  result = value != value ? 0x7e00u : (result | sign);
  return static_cast<uint16_t>(result);
}

}  // namespace number
}  // namespace assay
