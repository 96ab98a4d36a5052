#include "verify/product_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "fakes/numbers.h"
#include "verify/distributions.h"
#include "verify/number.h"

namespace assay {
namespace {

const RandomStream kCheckStream(Seed{}, "product check");
constexpr int64_t kCheckM = 41, kCheckN = 77, kCheckK = 130;
using Values64 = std::vector<double>;
using Change = std::function<void(Values64&)>;

// A, B, and what a candidate and the baseline make of them: judged by probes, and in double.
struct CheckCase {
  Dtype dtype, result;
  Values64 a, b, exact;
  std::vector<std::byte> stored_a, stored_b;
  Family family = Family::own;
  bool integers = false;

  CheckCase(Dtype dtype_in, const Change& change_a = nullptr, const Change& change_b = nullptr,
            double scale = 1)
      : dtype(dtype_in), result(dtype_in == Dtype::i8 ? Dtype::i32 : dtype_in) {
    a = drawn("a", kCheckM * kCheckK, scale);
    b = drawn("b", kCheckK * kCheckN, 1);
    if (change_a) change_a(a);
    if (change_b) change_b(b);
    take();
  }

  Values64 drawn(const char* name, int64_t count, double scale) const {
    Values64 values(static_cast<size_t>(count));
    normal(kCheckStream.named(name), 0, values);
    for (double& value : values)
      value = dtype == Dtype::i8 ? std::round(20 * value) : value * scale;
    return values;
  }

  void take() {
    stored_a = stored(dtype, a);
    stored_b = stored(dtype, b);
    load_block(dtype, stored_a.data(), a.size(), a.data());
    load_block(dtype, stored_b.data(), b.size(), b.data());
    exact.clear();
    for (int64_t i = 0; i < kCheckM; ++i)
      for (int64_t j = 0; j < kCheckN; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < kCheckK; ++k)
          sum += at(a, i * kCheckK + k) * at(b, k * kCheckN + j);
        exact.push_back(sum);
      }
  }

  static double at(const Values64& values, int64_t i) { return values[static_cast<size_t>(i)]; }

  static std::vector<std::byte> stored(Dtype dtype, const Values64& values) {
    std::vector<std::byte> memory(values.size() * bytes_of(dtype));
    store_block(dtype, values.data(), values.size(), memory.data());
    return memory;
  }

  // The exact result with errors of some roundings.
  std::vector<std::byte> c(double units, const Change& change = nullptr) const {
    Values64 values = exact;
    double scale = 0;
    for (double value : exact)
      if (std::isfinite(value)) scale = std::max(scale, std::fabs(value));
    for (size_t i = 0; i < values.size() && dtype != Dtype::i8; ++i)
      values[i] += units * unit_roundoff(result) * scale * (i * 2654435761 % 1000 < 500 ? 1 : -1);
    if (change) change(values);
    return stored(result, values);
  }

  RoundResult judged(bool probed, const std::vector<std::byte>& candidate,
                     const std::vector<std::byte>& baseline) const {
    OutputFigures output;
    output.shape = {kCheckM, kCheckN};
    auto* in_double = reinterpret_cast<const std::byte*>(exact.data());
    output.values = {.dtype = result,
                     .elements = exact.size(),
                     .candidate = candidate.data(),
                     .baseline = baseline.data(),
                     .exact = probed ? nullptr : in_double};
    if (!probed) output.figures = compare(output.values);
    Product product{
        {kCheckM, kCheckN, kCheckK, Layout::nn, dtype, result}, stored_a.data(), stored_b.data()};
    const RandomStream samples = kCheckStream.named("samples");
    const SampledSums sampled = sample_sums(sums_of(product), samples);
    check_product(
        {product, &sampled, samples, kCheckStream.named("window"), family, 1, probed, integers},
        output);
    Round round;
    round.family = family;
    round.integers_proven = integers;
    round.outputs = {output};
    return judge_round(round, {});
  }

  std::optional<Rule> rule(bool probed, const Change& change, double units = 0.2) const {
    return decide({judged(probed, c(units, change), c(0.1))}, {}, {}).rule;
  }
};

Change put(double value, int64_t place) {
  return [=](Values64& values) { values[static_cast<size_t>(place)] = value; };
}

TEST(ProductCheck, ProbesAndDoubleSayTheSame) {
  constexpr Dtype kDtypes[] = {Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::f64, Dtype::i8};
  for (Dtype dtype : kDtypes) {
    CheckCase each(dtype);
    for (bool probed : {false, true}) {
      const auto& word = to_word(kDtypeWords, dtype);
      EXPECT_EQ(each.rule(probed, nullptr), std::nullopt) << word;
      EXPECT_EQ(
          each.rule(probed, [](Values64& c) { std::fill_n(c.begin() + kCheckN, kCheckN, 0.0); }),
          Rule::wrong)
          << word;
      EXPECT_EQ(each.rule(probed, put(1000, kCheckM * kCheckN / 2)), Rule::wrong) << word;
    }
  }
  CheckCase f32(Dtype::f32);
  EXPECT_EQ(f32.rule(true, nullptr, 30), Rule::precision);
  EXPECT_EQ(f32.judged(true, f32.c(0.1), f32.c(0.1)).evidence["outputs"][0]["checked_by"],
            "probes");
  EXPECT_EQ(f32.judged(false, f32.c(0.1), f32.c(0.1)).evidence["outputs"][0]["checked_by"],
            "double");
}

// In a row of A, in a column of B, of either sign, and of both: what they make is known everywhere.
TEST(ProductCheck, NotFiniteIsHeldToTheBaselineAndTheRestToProbes) {
  for (const Change& of_a : {put(kNan, 3 * kCheckK + 5), put(kInfinity, 7 * kCheckK), Change()})
    for (const Change& of_b : {put(-kInfinity, 9 * kCheckN + 2), put(kNan, kCheckN - 1)}) {
      CheckCase each(Dtype::f32, of_a, of_b);
      each.family = Family::nonfinite;
      EXPECT_EQ(each.rule(true, nullptr), std::nullopt);
      // All other rows and columns are looked at still.
      RoundResult good = each.judged(true, each.c(0.2), each.c(0.1));
      EXPECT_EQ(good.compared, static_cast<uint64_t>((kCheckM - (of_a ? 1 : 0)) * (kCheckN - 1)));
      EXPECT_EQ(each.rule(true, put(1000, 20 * kCheckN + 20)), Rule::wrong);
      EXPECT_EQ(each.rule(true,
                          [](Values64& c) {
                            for (double& value : c)
                              if (!std::isfinite(value)) value = 0;
                          }),
                Rule::non_finite);
      // NaN for infinity in the row or column of one, and nowhere else.
      auto all_nan = [](Values64& c) {
        for (double& value : c)
          if (!std::isfinite(value)) value = kNan;
      };
      for (bool probed : {false, true}) {
        EXPECT_EQ(each.rule(probed, all_nan), std::nullopt);
        EXPECT_EQ(each.rule(probed, put(kNan, 20 * kCheckN + 20)), Rule::non_finite);
      }
    }
}

TEST(ProductCheck, OverflowIsNobodysFault) {
  CheckCase each(Dtype::f16, nullptr, nullptr, 2500);  // most results are near or above 65504
  EXPECT_EQ(each.rule(true, nullptr), std::nullopt);
  EXPECT_EQ(each.rule(true,
                      [](Values64& c) {
                        for (double& value : c)
                          if (std::fabs(value) > 65504) value = 0;
                      }),
            Rule::non_finite);
}

// Eager's error may be large by accident, or be taken as large: the bound knows better.
TEST(ProductCheck, ABadBaselineExcusesNothing) {
  for (bool probed : {false, true}) {
    CheckCase each(Dtype::f32);
    auto off = [](Values64& c) {
      for (double& value : c) value *= 1.01;
    };
    RoundResult round = each.judged(probed, each.c(0, off), each.c(0, off));
    ASSERT_FALSE(round.complaints.empty());
    EXPECT_EQ(round.complaints.back().rule, Rule::precision);
    Json bound = round.evidence["outputs"][0]["bound"];
    EXPECT_GT(bound["beyond"].get<int>(), 0);
    EXPECT_GT(bound["largest"].get<double>(), 1);
    EXPECT_EQ(bound["index"].size(), 2u);
  }
}

// In double, eager is what eager in double is: it would have no error, and nobody be as good.
TEST(ProductCheck, TheErrorOfF64IsMeasuredWithMoreBits) {
  CheckCase each(Dtype::f64);
  auto candidate = each.c(2), baseline = each.c(0.5);
  CheckCase same = each;
  load_block(Dtype::f64, baseline.data(), same.exact.size(), same.exact.data());
  RoundResult round = same.judged(false, candidate, baseline);
  EXPECT_TRUE(round.complaints.empty());
  EXPECT_GT(round.evidence["outputs"][0]["baseline_error_rms"].get<double>(), 0);
}

TEST(ProductCheck, WholeNumbersOfAFloatingTypeAreExactToTheLastOne) {
  auto whole = [](Values64& values) {
    for (double& value : values) value = std::round(100 * value);
  };
  CheckCase each(Dtype::f32, whole, whole);
  each.family = Family::integers;
  each.integers = true;
  auto good = each.c(0);
  EXPECT_FALSE(each.judged(true, good, good).not_integer_exact);
  auto one = each.c(0, [](Values64& c) { c[700] += 1; });
  RoundResult round = each.judged(true, one, good);
  EXPECT_TRUE(round.not_integer_exact);
  EXPECT_EQ(round.evidence["outputs"][0]["worst"]["index"], Json({700 / kCheckN, 700 % kCheckN}));
}

TEST(ProductCheck, SumsOfWholeNumbersAreExactAsFarAsTheirBitsGo) {
  auto why = [](Dtype dtype, double factor) {
    auto whole = [=](Values64& values) {
      for (double& value : values) value = std::round(factor * value);
    };
    CheckCase each(dtype, whole, whole);
    return why_not_exact({{kCheckM, kCheckN, kCheckK, Layout::nn, dtype, each.result},
                          each.stored_a.data(),
                          each.stored_b.data()});
  };
  EXPECT_EQ(why(Dtype::f32, 10), "");
  EXPECT_EQ(why(Dtype::bf16, 10), "");
  EXPECT_NE(why(Dtype::f32, 1e4), "");  // sums of 1e10
  EXPECT_EQ(why(Dtype::f64, 1e4), "");
  EXPECT_NE(why(Dtype::f64, 1e9), "");
  EXPECT_EQ(why(Dtype::i8, 1), "");
}

TEST(ProductCheck, OnlyLargeProductsAreProbed) {
  ProductShape shape{1024, 1024, 1024, Layout::nn, Dtype::f32, Dtype::f32};
  EXPECT_FALSE(is_probed(std::nullopt));
  EXPECT_FALSE(is_probed(shape));
  shape.k = 1025;
  EXPECT_TRUE(is_probed(shape));
  // Where sums of whole numbers may overflow, all would be wrong by probes.
  EXPECT_FALSE(is_probed(ProductShape{64, 64, 1 << 20, Layout::nn, Dtype::i8, Dtype::i32}));
}

TEST(ProductCheck, AProductIsWhatItsProblemSaysToo) {
  ProductShape shape{3, 5, 7, Layout::tn, Dtype::f32, Dtype::f32};
  ProblemDescription problem;
  problem.inputs.resize(2);
  problem.inputs[0].tensor = TensorSpec{Dtype::f32, {7, 3}, {}};
  problem.inputs[1].tensor = TensorSpec{Dtype::f32, {7, 5}, {}};
  problem.outputs.resize(1);
  problem.outputs[0].tensor = TensorSpec{Dtype::f32, {3, 5}, {}};
  EXPECT_EQ(product_of(shape, problem), shape);
  EXPECT_EQ(product_of(std::nullopt, problem), std::nullopt);
  // Run at another precision, it is that of the inputs.
  for (Leaf* leaf : {&problem.inputs[0], &problem.inputs[1], &problem.outputs[0]})
    leaf->tensor->dtype = Dtype::bf16;
  EXPECT_EQ(product_of(shape, problem)->dtype, Dtype::bf16);
  problem.inputs[0].tensor->shape = {3, 7};
  EXPECT_EQ(product_of(shape, problem), std::nullopt);
}

}  // namespace
}  // namespace assay
