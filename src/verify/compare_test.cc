#include "verify/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "fakes/numbers.h"
#include "verify/distributions.h"
#include "verify/number.h"
#include "verify/same_bits.h"

namespace assay {
namespace {

// Three arrays of equal length, written as doubles.
struct Outputs {
  Dtype dtype;
  std::vector<double> exact;
  std::vector<std::byte> candidate, baseline;

  Outputs(Dtype of, const std::vector<double>& candidate_values,
          const std::vector<double>& baseline_values, std::vector<double> exact_values)
      : dtype(of), exact(std::move(exact_values)) {
    candidate = stored(candidate_values);
    baseline = stored(baseline_values);
  }

  std::vector<std::byte> stored(const std::vector<double>& values) const {
    std::vector<std::byte> memory(values.size() * bytes_of(dtype));
    store_block(dtype, values.data(), values.size(), memory.data());
    return memory;
  }

  Values values() const {
    return {dtype,
            exact.size(),
            candidate.data(),
            baseline.data(),
            reinterpret_cast<const std::byte*>(exact.data()),
            Dtype::f64};
  }
  Figures figures() const { return compare(values()); }
};

std::vector<double> normals(uint64_t count, const char* name = "x") {
  std::vector<double> values(count);
  normal(RandomStream(Seed{}, name), 0, values);
  return values;
}

TEST(Compare, FiguresAreThoseOfTheDefinition) {
  for (Dtype dtype : kFloating)
    for (uint64_t count : {1u, 7u, 8u, 511u, 512u, 513u, 3000u}) {
      double u = unit_roundoff(dtype);
      auto exact = normals(count), noise = normals(count, "n"), other = normals(count, "o");
      auto candidate = exact, baseline = exact;
      for (uint64_t i = 0; i < count; ++i) {
        candidate[i] += 20 * u * noise[i];
        baseline[i] += 3 * u * other[i];
      }
      Outputs outputs(dtype, candidate, baseline, exact);
      Figures figures = outputs.figures();
      EXPECT_EQ(figures.elements, count);
      EXPECT_EQ(figures.compared, count);
      double squares = 0, most = 0, base = 0, size = 0;
      uint64_t worst = 0, unequal = 0;
      for (uint64_t i = 0; i < count; ++i) {
        Sample at = sample(outputs.values(), i);
        double error = at.candidate - at.exact;
        squares += error * error;
        if (std::fabs(error) > most) most = std::fabs(error), worst = i;
        base += (at.baseline - at.exact) * (at.baseline - at.exact);
        size += at.exact * at.exact;
        unequal += at.candidate != round_to(dtype, at.exact);
      }
      auto n = static_cast<double>(count);
      EXPECT_NEAR(figures.candidate_rms, std::sqrt(squares / n), 1e-12 * figures.candidate_rms);
      EXPECT_NEAR(figures.baseline_rms, std::sqrt(base / n), 1e-12 * figures.baseline_rms);
      EXPECT_NEAR(figures.exact_rms, std::sqrt(size / n), 1e-12 * figures.exact_rms);
      EXPECT_EQ(figures.candidate_max, most);
      EXPECT_EQ(figures.worst.index, worst);
      EXPECT_EQ(figures.unequal, unequal);
      if (count >= 511) {
        EXPECT_GT(ratios(figures).rms, 2);
        EXPECT_LT(ratios(figures).rms, 20 / 0.28);
      }
    }
}

TEST(Compare, NonFiniteResultsAreTheSameOrDroppedOrSpread) {
  for (Dtype dtype : kFloating) {
    //                        same            dropped            spread             left out
    std::vector<double> exact{kNan, kInfinity, kNan, kInfinity, kInfinity, 1, 2, 3, 4, 5};
    std::vector<double> base{kNan, kInfinity, kNan, kInfinity, kInfinity, 1, 2, kInfinity, kNan, 5};
    std::vector<double> candidate{kNan, kInfinity, 0, -kInfinity, kNan,
                                  kNan, kInfinity, 7, kNan,       5};
    Figures figures = Outputs(dtype, candidate, base, exact).figures();
    EXPECT_EQ(figures.dropped, 3u);
    EXPECT_EQ(figures.first_dropped->index, 2u);
    EXPECT_EQ(figures.spread, 2u);
    EXPECT_EQ(figures.first_spread->index, 5u);
    EXPECT_EQ(figures.left_out, 2u);
    EXPECT_EQ(figures.compared, 1u);
    EXPECT_EQ(figures.candidate_rms, 0);
  }
}

TEST(Compare, RoundingsMayReachBeyondTheLargest) {
  std::vector<double> exact{65490, -65490, 65490, 65490, 64000};
  Outputs near(Dtype::f16, {kInfinity, -kInfinity, -kInfinity, kNan, kInfinity}, exact, exact);
  EXPECT_EQ(near.figures().left_out, 2u);
  EXPECT_EQ(near.figures().spread, 3u) << "the wrong sign, NaN, and one that is too far below";
}

// In every type alike, whatever the baseline has there.
TEST(Compare, WhatItsTypeHasNoNumberForIsInfiniteOrNanOrTheLargest) {
  for (Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32}) {
    const double most = largest_finite(dtype), more = 1.5 * most;
    std::vector<double> exact{more, -more, more, 20 * most, more};
    for (const std::vector<double>& base :
         {std::vector<double>{kInfinity, -kInfinity, kInfinity, kInfinity, most},
          std::vector<double>(5, kNan)}) {
      Outputs good(dtype, {kInfinity, -kInfinity, most, kNan, kNan}, base, exact);
      EXPECT_EQ(good.figures().dropped, 0u);
      EXPECT_EQ(good.figures().left_out, 5u);
      Outputs bad(dtype, {0, kInfinity, -most, 100, most}, base, exact);
      EXPECT_EQ(bad.figures().dropped, 4u);
      EXPECT_EQ(bad.figures().first_dropped->index, 0u);
    }
    // Where torch computes something else there is nothing to hold to.
    EXPECT_EQ(Outputs(dtype, {0}, {1}, {more}).figures().left_out, 1u);
  }
}

TEST(Compare, InfinityThatTheBaselineMissesTooIsNotAskedFor) {
  Figures figures = Outputs(Dtype::f32, {1e30}, {2e30}, {kInfinity}).figures();
  EXPECT_EQ(figures.dropped, 0u);
  EXPECT_EQ(figures.left_out, 1u);
}

TEST(Compare, OneBadBlockDoesNotHideTheOthers) {
  auto exact = normals(5000);
  auto candidate = exact, baseline = exact;
  exact[600] = baseline[600] = candidate[600] = kNan;
  candidate[601] += 1;
  candidate[4999] += 2;
  Figures figures = Outputs(Dtype::f32, candidate, baseline, exact).figures();
  EXPECT_EQ(figures.compared, 4999u);
  EXPECT_EQ(figures.worst.index, 4999u);
  EXPECT_NEAR(figures.candidate_max, 2, 1e-6);
  EXPECT_NEAR(figures.candidate_rms, std::sqrt(5.0 / 4999), 1e-6);
}

TEST(Compare, SquaresNeitherOverflowNorVanish) {
  for (double scale : {1e300, 1e-300, 1e200, 1e-200, 1.0}) {
    auto exact = normals(1000);
    for (double& value : exact) value *= scale;
    auto candidate = exact;
    for (double& value : candidate) value *= 1 + 1e-10;
    Figures figures = Outputs(Dtype::f64, candidate, exact, exact).figures();
    EXPECT_NEAR(figures.exact_rms / scale, 1, 0.1) << scale;
    EXPECT_NEAR(figures.candidate_rms / scale, 1e-10, 1e-11) << scale;
    EXPECT_NEAR(ratios(figures).rms, 1e-10 / (8 * unit_roundoff(Dtype::f64)), 1e4) << scale;
  }
}

TEST(Compare, SubnormalResultsHaveTheErrorOfTheirSteps) {
  // Correctly rounded by luck in the baseline: the candidate may be off by some steps.
  std::vector<double> exact(100, 0x1p-140);
  auto off = exact;
  for (double& value : off) value += 2 * smallest_step(Dtype::f32);
  EXPECT_LE(ratios(Outputs(Dtype::f32, off, exact, exact).figures()).rms, 4);
  std::vector<double> flushed(100, 0);
  EXPECT_GT(ratios(Outputs(Dtype::f32, flushed, exact, exact).figures()).rms, 100);
}

TEST(Compare, RatiosAreFinite) {
  std::vector<double> zero(10, 0);
  Figures same = Outputs(Dtype::f32, zero, zero, zero).figures();
  EXPECT_EQ(ratios(same).rms, 0);
  for (Dtype dtype : kFloating) {
    Figures other = Outputs(dtype, std::vector<double>(10, 8192), zero, zero).figures();
    EXPECT_TRUE(std::isfinite(ratios(other).rms));
    EXPECT_GT(ratios(other).rms, 1e6);
    EXPECT_NEAR(ratios(other, {1024, 128}).rms, 8, 1e-9);
    EXPECT_NEAR(ratios(other, {1024, 128}).max, 64, 1e-9);
  }
}

TEST(Compare, WholeNumbersAreEqualOrNot) {
  for (Dtype dtype : {Dtype::i64, Dtype::i32, Dtype::u8, Dtype::boolean}) {
    std::vector<double> exact{0, 1, 1, 0, 1};
    Outputs outputs(dtype, {0, 1, 0, 0, 0}, {0, 1, 1, 0, 0}, exact);
    Figures figures = outputs.figures();
    EXPECT_EQ(figures.unequal, 2u);
    EXPECT_EQ(figures.first_unequal->index, 2u);
    EXPECT_EQ(figures.baseline_unequal, 1u);
  }
  // Neighbours that one double stands for.
  int64_t a = (int64_t{1} << 60) + 1, b = int64_t{1} << 60;
  Values values{Dtype::i64,
                1,
                reinterpret_cast<std::byte*>(&a),
                reinterpret_cast<std::byte*>(&b),
                reinterpret_cast<std::byte*>(&b),
                Dtype::i64};
  EXPECT_EQ(compare(values).unequal, 1u);
}

TEST(Compare, TolerancesOfOthersAreReported) {
  std::vector<double> base{1, 1, 1, kNan, kNan};
  Figures figures = Outputs(Dtype::f32, {1, 1 + 5e-5, 1.1, kNan, 1}, base, base).figures();
  EXPECT_EQ(figures.beyond_kernelbench, 2u);
  EXPECT_EQ(figures.beyond_torch, 3u);
}

TEST(Compare, TheFirstElementBeyondALimitIsFound) {
  auto exact = normals(2000);
  auto candidate = exact;
  candidate[1500] += 0.5;
  candidate[700] += 0.01;
  Outputs outputs(Dtype::f32, candidate, exact, exact);
  EXPECT_EQ(first_beyond(outputs.values(), 0.1)->index, 1500u);
  EXPECT_EQ(first_beyond(outputs.values(), 0.001)->index, 700u);
  EXPECT_EQ(first_beyond(outputs.values(), 1), std::nullopt);
  candidate[3] = kNan;
  EXPECT_EQ(first_beyond(Outputs(Dtype::f32, candidate, exact, exact).values(), 1)->index, 3u);
}

TEST(Compare, BitsDifferButNotThoseOfNaN) {
  auto values = normals(3000);
  Outputs outputs(Dtype::f32, values, values, values);
  EXPECT_EQ(difference(Dtype::f32, 3000, outputs.candidate.data(), outputs.baseline.data()).count,
            0u);
  auto put = [&](std::vector<std::byte>& memory, uint64_t i, uint32_t bits) {
    std::memcpy(memory.data() + 4 * i, &bits, 4);
  };
  put(outputs.candidate, 10, 0x7fc00001);
  put(outputs.baseline, 10, 0xffc00000);
  put(outputs.candidate, 2000, 0);
  put(outputs.baseline, 2000, 0x80000000);
  BitDifference found =
      difference(Dtype::f32, 3000, outputs.candidate.data(), outputs.baseline.data());
  EXPECT_EQ(found.count, 1u);
  EXPECT_EQ(found.first, 2000u);
}

TEST(Compare, SensitivityIsOfWhatIsFinite) {
  std::vector<double> exact{1, 2, kNan, kInfinity}, other{1.5, 2, 3, kInfinity};
  SensitivitySums sums(Dtype::f32);
  sums.add(exact.data(), other.data(), 1);
  sums.add(exact.data() + 1, other.data() + 1, 3);
  Sensitivity found = sums.sensitivity();
  EXPECT_EQ(found.max, 0.5);
  EXPECT_NEAR(found.rms, 0.5 / std::sqrt(2.0), 1e-15);
}

TEST(Compare, GrossErrorsAreOfElementsBesideThemselves) {
  for (Dtype dtype : kFloating) {
    auto exact = normals(1000);
    for (double& value : exact) value = round_to(dtype, value);
    auto candidate = exact, baseline = exact;
    exact[3] = 0, candidate[3] = 1e-6;  // beside nothing everything is large
    candidate[4] = 0;
    candidate[600] *= 0.5;
    candidate[700] *= 1 + 8 * unit_roundoff(dtype);
    baseline[600] *= 2;
    Outputs outputs(dtype, candidate, baseline, exact);
    Figures figures = outputs.figures();
    EXPECT_EQ(figures.gross, 2u);
    EXPECT_EQ(figures.baseline_gross, 1u);
    EXPECT_EQ(first_gross(outputs.values())->index, 4u);
  }
  double exact[] = {1, 1, 0}, other[] = {1.5, 1.001, 5};
  SensitivitySums sums(Dtype::f32);
  sums.add(exact, other, 3);
  EXPECT_EQ(sums.sensitivity().gross, 1u);
}

// Whatever the pieces, sums may be rounded otherwise; indices and counts are the same.
TEST(Compare, PiecesAddUpToTheWhole) {
  for (Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::i32}) {
    auto exact = normals(5000), noise = normals(5000, "n");
    for (double& value : exact) value = std::trunc(value * 1000);
    std::vector<double> candidate = exact, baseline = exact;
    candidate[4321] += 100;
    baseline[17] += 1;
    if (is_floating(dtype)) {
      for (size_t i = 0; i < noise.size(); ++i) candidate[i] += noise[i] * 1e-3;
      candidate[3000] = exact[2000] = baseline[2000] = kNan;
      candidate[2000] = 1;
    }
    Outputs outputs(dtype, is_floating(dtype) ? candidate : std::vector<double>(5000),
                    is_floating(dtype) ? baseline : std::vector<double>(5000), exact);
    if (!is_floating(dtype)) {
      auto put = [](std::vector<std::byte>& memory, const std::vector<double>& values) {
        for (size_t i = 0; i < values.size(); ++i) {
          auto value = static_cast<int32_t>(values[i]);
          std::memcpy(memory.data() + 4 * i, &value, 4);
        }
      };
      put(outputs.candidate, candidate);
      put(outputs.baseline, baseline);
    }
    Figures whole = outputs.figures();
    for (uint64_t size : {1u, 513u, 2500u}) {
      OutputComparison comparison(dtype, Dtype::f64);
      for (uint64_t first = 0; first < 5000; first += size) {
        Values piece = outputs.values();
        piece.elements = std::min<uint64_t>(size, 5000 - first);
        piece.candidate += first * bytes_of(dtype);
        piece.baseline += first * bytes_of(dtype);
        piece.exact += first * sizeof(double);
        comparison.add(piece);
      }
      Figures pieces = comparison.figures();
      EXPECT_EQ(pieces.elements, whole.elements);
      EXPECT_EQ(pieces.compared, whole.compared);
      EXPECT_EQ(pieces.unequal, whole.unequal);
      EXPECT_EQ(pieces.baseline_unequal, whole.baseline_unequal);
      EXPECT_EQ(pieces.dropped, whole.dropped);
      EXPECT_EQ(pieces.spread, whole.spread);
      EXPECT_EQ(pieces.candidate_max, whole.candidate_max);
      EXPECT_DOUBLE_EQ(pieces.candidate_rms, whole.candidate_rms);
      EXPECT_DOUBLE_EQ(pieces.exact_rms, whole.exact_rms);
      EXPECT_DOUBLE_EQ(pieces.baseline_rms, whole.baseline_rms);
      EXPECT_EQ(pieces.worst.index, 4321u);
      EXPECT_EQ(pieces.worst.candidate, whole.worst.candidate);
      EXPECT_EQ(whole.worst.index, 4321u);
      EXPECT_EQ(pieces.first_unequal->index, whole.first_unequal->index);
      if (is_floating(dtype)) {
        EXPECT_EQ(pieces.first_dropped->index, 2000u);
        EXPECT_EQ(pieces.first_spread->index, 3000u);
      }
    }
  }
}

TEST(Compare, DigestsTellWhatDifferenceTells) {
  std::vector<float> a(3000, 1.5f), b = a;
  auto told = [](const std::vector<float>& values) {
    return digest(Dtype::f32, values.size(), reinterpret_cast<const std::byte*>(values.data()));
  };
  a[600] = std::numeric_limits<float>::quiet_NaN();
  b[600] = -std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(told(a), told(b));
  b[2999] = std::nextafter(1.5f, 2.0f);
  EXPECT_NE(told(a), told(b));
}

TEST(Compare, NothingComparesWithNothing) {
  Figures figures = Outputs(Dtype::f32, {}, {}, {}).figures();
  EXPECT_EQ(figures.compared, 0u);
  EXPECT_EQ(ratios(figures).rms, 0);
}

}  // namespace
}  // namespace assay
