#include "verify/distributions.h"

#include <algorithm>
#include <array>
#include <bit>

#include "verify/clones.h"
#include "verify/elements.h"

namespace assay {
namespace {

// ln(x) for positive normal x: the odd series of 2 atanh((m - 1) / (m + 1)) for m near 1.
ASSAY_INLINE double logarithm(double x) {
  auto bits = std::bit_cast<uint64_t>(x);
  // Moves m to [sqrt(1/2), sqrt(2)).
  uint64_t shifted = bits + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
  // The exponent as a double without a conversion that has no vector form everywhere.
  double exponent = std::bit_cast<double>((shifted >> 52) | 0x4330000000000000) - (0x1p52 + 1023.0);
  double m = std::bit_cast<double>((shifted & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
  double s = (m - 1) / (m + 1);
  double z = s * s;
  double series = 1.0 / 19;
  for (double term : {1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3})
    series = series * z + term;
  return exponent * 0.693147180559945309 + 2 * s + 2 * s * z * series;
}

// Taylor series up to where they are exact for |x| <= pi/4.
ASSAY_INLINE double sine(double x) {
  double z = x * x;
  double series = -1.0 / 1307674368000;
  for (double term :
       {1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6})
    series = series * z + term;
  return x + x * z * series;
}

ASSAY_INLINE double cosine(double x) {
  double z = x * x;
  double series = 1.0 / 20922789888000;
  for (double term : {-1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720,
                      1.0 / 24, -1.0 / 2})
    series = series * z + term;
  return 1 + z * series;
}

// Newton's steps from a bit trick would do; the square root is exact everywhere as it is.
ASSAY_INLINE double root(double x) { return __builtin_sqrt(x); }

ASSAY_INLINE double widened(uint32_t word) {
  return std::bit_cast<double>(uint64_t{word} | 0x4330000000000000) - 0x1p52;
}

// Box and Muller: two words make two numbers.
ASSAY_CLONES void to_normal(const uint32_t* words, uint64_t pairs, double* out) {
  constexpr double kEighth = 0.785398163397448310;  // pi / 4
  for (uint64_t i = 0; i < pairs; ++i) {
    double radius = root(-2 * logarithm((widened(words[2 * i]) + 0.5) * 0x1p-32));
    uint32_t turn = words[2 * i + 1];
    // Two bits choose the quadrant, the others an angle in (-pi/4, pi/4).
    double angle = (widened(turn & 0x3fffffff) - 0x1.fffffff8p28) * (kEighth * 0x1p-29);
    double s = sine(angle) * radius, c = cosine(angle) * radius;
    double first = (turn & 0x40000000) != 0 ? s : c, second = (turn & 0x40000000) != 0 ? c : s;
    out[2 * i] = (turn & 0x80000000) != 0 ? -first : first;
    out[2 * i + 1] = (turn & 0x80000000) != 0 ? -second : second;
  }
}

ASSAY_CLONES void to_uniform(const uint32_t* words, uint64_t count, int drop, double scale,
                             double* out) {
  for (uint64_t i = 0; i < count; ++i) out[i] = widened(words[i] >> drop) * scale;
}

}  // namespace

void uniform(const RandomStream& stream, uint64_t first, int bits, std::span<double> out) {
  std::array<uint32_t, 2 * kBlockElements> words;
  for (size_t done = 0; done < out.size();) {
    uint64_t count = std::min<uint64_t>(kBlockElements, out.size() - done);
    if (bits <= 32) {
      stream.words(first + done, std::span(words.data(), count));
      to_uniform(words.data(), count, 32 - bits, 1.0 / static_cast<double>(uint64_t{1} << bits),
                 out.data() + done);
    } else {
      stream.words(2 * (first + done), std::span(words.data(), 2 * count));
      for (uint64_t i = 0; i < count; ++i) {
        uint64_t word = words[2 * i] | (uint64_t{words[2 * i + 1]} << 32);
        out[done + i] =
            static_cast<double>(word >> (64 - bits)) / static_cast<double>(uint64_t{1} << bits);
      }
    }
    done += count;
  }
}

void normal(const RandomStream& stream, uint64_t first, std::span<double> out) {
  std::array<uint32_t, kBlockElements> words;
  std::array<double, kBlockElements> made;
  for (size_t done = 0; done < out.size();) {
    uint64_t at = first + done;
    uint64_t begin = at & ~uint64_t{1};  // a pair is made of a pair
    uint64_t count = std::min<uint64_t>(kBlockElements - 2, out.size() - done);
    uint64_t pairs = (at + count - begin + 1) / 2;
    stream.words(begin, std::span(words.data(), 2 * pairs));
    to_normal(words.data(), pairs, made.data());
    std::copy_n(made.data() + (at - begin), count, out.data() + done);
    done += count;
  }
}

void integers(const RandomStream& stream, uint64_t first, int64_t low, uint64_t count,
              std::span<int64_t> out) {
  std::array<uint32_t, 2 * kBlockElements> words;
  for (size_t done = 0; done < out.size();) {
    uint64_t some = std::min<uint64_t>(kBlockElements, out.size() - done);
    stream.words(2 * (first + done), std::span(words.data(), 2 * some));
    for (uint64_t i = 0; i < some; ++i) {
      uint64_t word = words[2 * i] | (uint64_t{words[2 * i + 1]} << 32);
      out[done + i] = static_cast<int64_t>(static_cast<uint64_t>(low) + scale_to(word, count));
    }
    done += some;
  }
}

}  // namespace assay
