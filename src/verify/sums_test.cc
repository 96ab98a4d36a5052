#include "verify/sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "verify/decide.h"
#include "verify/distributions.h"
#include "verify/number.h"
#include "verify/product_check.h"

namespace assay {
namespace {

const RandomStream kSumStream(Seed{}, "sums");

std::vector<std::byte> stored_as(Dtype dtype, const std::vector<double>& values) {
  std::vector<std::byte> memory(values.size() * bytes_of(dtype));
  store_block(dtype, values.data(), values.size(), memory.data());
  return memory;
}

// Numbers that a type has.
std::vector<double> drawn_for_sums(Dtype dtype, const char* name, int64_t count) {
  std::vector<double> values(static_cast<size_t>(count));
  normal(kSumStream.named(name), 0, values);
  load_block(dtype, stored_as(dtype, values).data(), values.size(), values.data());
  return values;
}

double at(const std::vector<double>& values, int64_t i) { return values[static_cast<size_t>(i)]; }

TEST(Sums, OfABatchAreSampledInEachLayoutFromTheFirstToTheLast) {
  constexpr int64_t kBatch = 5, kM = 13, kN = 17, kK = 29;
  for (Layout layout : {Layout::nn, Layout::nt, Layout::tn, Layout::tt}) {
    const SumShape shape = sum_of({kM, kN, kK, layout, Dtype::f32, Dtype::f32}, kBatch);
    const auto a = drawn_for_sums(Dtype::f32, "a", kBatch * kM * kK);
    const auto b = drawn_for_sums(Dtype::f32, "b", kBatch * kK * kN);
    const auto stored_a = stored_as(Dtype::f32, a), stored_b = stored_as(Dtype::f32, b);
    const SampledSums sampled =
        sample_sums({shape, stored_a.data(), stored_b.data()}, kSumStream, 200);
    EXPECT_GT(sampled.places.size(), 120u);
    EXPECT_LE(sampled.places.size(), 200u);
    EXPECT_EQ(sampled.places.front(), 0u);
    EXPECT_EQ(sampled.places.back(), static_cast<uint64_t>(kBatch * kM * kN - 1));
    for (size_t i = 0; i < sampled.places.size(); ++i) {
      const auto place = static_cast<int64_t>(sampled.places[i]);
      const int64_t n = place % kN, m = place / kN % kM, batch = place / kN / kM;
      double sum = 0, magnitude = 0;
      for (int64_t k = 0; k < kK; ++k) {
        const int64_t in_a = is_a_transposed(layout) ? k * kM + m : m * kK + k;
        const int64_t in_b = is_b_transposed(layout) ? n * kK + k : k * kN + n;
        const double term = at(a, batch * kM * kK + in_a) * at(b, batch * kK * kN + in_b);
        sum += term;
        magnitude += std::fabs(term);
      }
      EXPECT_NEAR(sampled.exact[i], sum, 1e-12);
      EXPECT_NEAR(sampled.magnitude[i], magnitude, 1e-12);
    }
  }
}

TEST(Sums, OfColumnsAreAsLongAsThereAreRows) {
  constexpr int64_t kRows = 40, kColumns = 3;
  const SumShape shape{.over = {{.size = kColumns, .in_a = 1}},
                       .summed = {{.size = kRows, .in_a = kColumns}},
                       .a = {kRows, kColumns},
                       .is_mean = true};
  const auto a = drawn_for_sums(Dtype::f32, "a", kRows * kColumns);
  const auto stored = stored_as(Dtype::f32, a);
  const SampledSums sampled = sample_sums({shape, stored.data(), nullptr}, kSumStream);
  ASSERT_EQ(sampled.places, (std::vector<uint64_t>{0, 1, 2}));
  for (uint64_t column : sampled.places) {
    double sum = 0;
    for (int64_t row = 0; row < kRows; ++row)
      sum += at(a, row * kColumns + static_cast<int64_t>(column));
    EXPECT_NEAR(sampled.exact[column], sum / kRows, 1e-13);
  }
}

// Windows of two by two, in pieces of a row each; and rows that are longer than a piece.
TEST(Sums, GoThroughAllTheirLoops) {
  constexpr int64_t kHeight = 4, kWidth = 6, kLong = 5000;
  const SumShape windows{.over = {{.size = 2, .in_a = 2 * kWidth}, {.size = 3, .in_a = 2}},
                         .summed = {{.size = 2, .in_a = kWidth}, {.size = 2, .in_a = 1}},
                         .a = {kHeight, kWidth},
                         .dtype = Dtype::f64,
                         .result = Dtype::f64};
  const auto a = drawn_for_sums(Dtype::f64, "a", kHeight * kWidth);
  const SampledSums sampled =
      sample_sums({windows, stored_as(Dtype::f64, a).data(), nullptr}, kSumStream);
  ASSERT_EQ(sampled.places.size(), 6u);
  for (int64_t place = 0; place < 6; ++place) {
    const int64_t corner = place / 3 * 2 * kWidth + place % 3 * 2;
    const double sum =
        at(a, corner) + at(a, corner + 1) + at(a, corner + kWidth) + at(a, corner + kWidth + 1);
    EXPECT_NEAR(sampled.exact[static_cast<size_t>(place)], sum, 1e-14) << place;
  }
  const SumShape rows{.over = {{.size = 2, .in_a = kLong}},
                      .summed = {{.size = kLong, .in_a = 1}},
                      .a = {2, kLong},
                      .dtype = Dtype::f16,
                      .result = Dtype::f32};
  const std::vector<double> ones(2 * kLong, 1);
  const SampledSums long_ones =
      sample_sums({rows, stored_as(Dtype::f16, ones).data(), nullptr}, kSumStream);
  EXPECT_EQ(long_ones.exact, (std::vector<double>{kLong, kLong}));
}

// A chain of equal numbers, added one by one in f32, is sound in any family that has such.
TEST(Sums, RoundingsOfEqualTermsMayAddUp) {
  constexpr int64_t kTerms = 20000;
  const SumShape shape{
      .over = {{.size = 1}}, .summed = {{.size = kTerms, .in_a = 1}}, .a = {1, kTerms}};
  const std::vector<double> a(kTerms, 0.1F);
  const auto stored = stored_as(Dtype::f32, a);
  const Sums sums{shape, stored.data(), nullptr};
  float chain = 0;
  for (int64_t i = 0; i < kTerms; ++i) chain += 0.1F;
  const double pairwise = kTerms * static_cast<double>(0.1F);
  auto judged = [&](Family family, double value) {
    const auto candidate = stored_as(Dtype::f32, {value});
    const auto baseline = stored_as(Dtype::f32, {pairwise});
    OutputFigures output;
    output.shape = {1};
    output.values = {.dtype = Dtype::f32,
                     .elements = 1,
                     .candidate = candidate.data(),
                     .baseline = baseline.data(),
                     .exact = baseline.data(),
                     .exact_dtype = Dtype::f32};
    output.figures = compare(output.values);
    const SampledSums sampled = sample_sums(sums, kSumStream);
    check_sums({kTerms, &sampled, family}, output);
    return *output.bound;
  };
  EXPECT_EQ(judged(Family::own, chain).beyond, 1u) << "the chain has to be off by something";
  EXPECT_EQ(judged(Family::constants, chain).beyond, 0u);
  EXPECT_EQ(judged(Family::constants, chain).held, 1u);
  EXPECT_EQ(judged(Family::constants, pairwise * 1.002).beyond, 1u);
}

// Its baseline is as bad as the candidate, so that no ratio tells it.
TEST(Sums, ABadBaselineExcusesNoSum) {
  constexpr int64_t kRows = 7, kColumns = 1000;
  const SumShape shape{.over = {{.size = kRows, .in_a = kColumns}},
                       .summed = {{.size = kColumns, .in_a = 1}},
                       .a = {kRows, kColumns}};
  const auto a = drawn_for_sums(Dtype::f32, "a", kRows * kColumns);
  const auto stored = stored_as(Dtype::f32, a);
  std::vector<double> exact, off;
  for (int64_t row = 0; row < kRows; ++row) {
    double sum = 0;
    for (int64_t column = 0; column < kColumns; ++column) sum += at(a, row * kColumns + column);
    exact.push_back(sum);
    off.push_back(sum + 0.05);
  }
  auto judged = [&](const std::vector<double>& values) {
    const auto candidate = stored_as(Dtype::f32, values);
    OutputFigures output;
    output.shape = {kRows};
    output.values = {.dtype = Dtype::f32,
                     .elements = kRows,
                     .candidate = candidate.data(),
                     .baseline = candidate.data(),
                     .exact = reinterpret_cast<const std::byte*>(exact.data())};
    output.figures = compare(output.values);
    const SampledSums sampled = sample_sums({shape, stored.data(), nullptr}, kSumStream);
    check_sums({kColumns, &sampled, Family::own}, output);
    Round round;
    round.outputs = {output};
    return judge_round(round, {});
  };
  EXPECT_TRUE(judged(exact).complaints.empty());
  const RoundResult bad = judged(off);
  ASSERT_EQ(bad.complaints.size(), 1u);
  EXPECT_EQ(bad.complaints[0].rule, Rule::precision);
  EXPECT_EQ(bad.evidence["outputs"][0]["bound"]["beyond"], kRows);
}

TEST(Sums, AreWhatTheirProblemSaysToo) {
  const SumShape said = sum_of({3, 5, 7, Layout::nn, Dtype::f32, Dtype::f32}, 2);
  ProblemDescription problem;
  problem.inputs.resize(2);
  problem.outputs.resize(1);
  auto put = [&](Dtype dtype, Dtype result) {
    problem.inputs[0].tensor = TensorSpec{dtype, {2, 3, 7}, {}};
    problem.inputs[1].tensor = TensorSpec{dtype, {2, 7, 5}, {}};
    problem.outputs[0].tensor = TensorSpec{result, {2, 3, 5}, {}};
  };
  put(Dtype::f32, Dtype::f32);
  EXPECT_EQ(sums_of(said, problem), said);
  EXPECT_EQ(sums_of(std::nullopt, problem), std::nullopt);
  // Run at another precision, it is that of the inputs.
  put(Dtype::bf16, Dtype::bf16);
  EXPECT_EQ(sums_of(said, problem)->result, Dtype::bf16);
  put(Dtype::f16, Dtype::f32);
  EXPECT_EQ(sums_of(said, problem), std::nullopt);
  put(Dtype::f32, Dtype::f32);
  problem.inputs[1].tensor->shape = {2, 5, 7};
  EXPECT_EQ(sums_of(said, problem), std::nullopt);
  put(Dtype::f32, Dtype::f32);
  problem.outputs.resize(2);
  EXPECT_EQ(sums_of(said, problem), std::nullopt);
}

}  // namespace
}  // namespace assay
