#include "verify/product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "verify/decide.h"
#include "verify/draws.h"
#include "verify/number.h"

namespace assay {
namespace {

const RandomStream kProductStream(Seed{}, "product");
constexpr int64_t kProductM = 67, kProductN = 131,
                  kProductK = 601;  // of no vector's length, over a block's
constexpr Layout kLayouts[] = {Layout::nn, Layout::nt, Layout::tn, Layout::tt};

// A, B, and C as several would compute it.
struct ProductCase {
  Product product;
  std::vector<std::byte> a, b;
  std::vector<double> exact;

  ProductCase(Layout layout, Dtype dtype, Dtype result) {
    bool ta = layout == Layout::tn || layout == Layout::tt;
    bool tb = layout == Layout::nt || layout == Layout::tt;
    TensorSpec spec_a{dtype,
                      {kProductM, kProductK},
                      ta ? std::vector<int64_t>{1, kProductM} : std::vector<int64_t>{}};
    TensorSpec spec_b{dtype,
                      {kProductK, kProductN},
                      tb ? std::vector<int64_t>{1, kProductK} : std::vector<int64_t>{}};
    a = drawn(spec_a, "a");
    b = drawn(spec_b, "b");
    product = {{kProductM, kProductN, kProductK, layout, dtype, result}, a.data(), b.data()};
    auto x = logical(spec_a, a), y = logical(spec_b, b);
    for (int64_t i = 0; i < kProductM; ++i)
      for (int64_t j = 0; j < kProductN; ++j) {
        long double sum = 0;
        for (int64_t k = 0; k < kProductK; ++k)
          sum += static_cast<long double>(x[i * kProductK + k]) * y[k * kProductN + j];
        exact.push_back(static_cast<double>(sum));
      }
  }

  static std::vector<std::byte> drawn(const TensorSpec& spec, const char* name) {
    Draw call;
    call.kind = is_floating(spec.dtype) ? DrawKind::randn : DrawKind::randint;
    call.int_low = -128, call.int_high = 128;
    std::vector<std::byte> memory(spec.span_bytes());
    EXPECT_TRUE(draw(spec, call, kProductStream.named(name), memory.data()));
    return memory;
  }

  static std::vector<double> logical(const TensorSpec& spec, const std::vector<std::byte>& from) {
    std::vector<std::byte> packed(from.size());
    gather(spec, from.data(), 0, spec.elements(), packed.data());
    std::vector<double> values(spec.elements());
    load_block(spec.dtype, packed.data(), values.size(), values.data());
    return values;
  }

  // C with errors of `units` roundings each, of either sign.
  std::vector<std::byte> c(
      double units, const std::function<void(std::vector<double>&)>& change = [](auto&) {}) const {
    std::vector<double> values = exact;
    double u = unit_roundoff(product.result);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] +=
          units * u * std::sqrt(double{kProductK}) * (i * 2654435761 % 1000 < 500 ? 1 : -1);
    change(values);
    std::vector<std::byte> memory(values.size() * bytes_of(product.result));
    store_block(product.result, values.data(), values.size(), memory.data());
    return memory;
  }

  Figures probed(const std::vector<std::byte>& candidate, int threads = 1) const {
    return Probes(product, kProductStream.named("probes"), threads)
        .check(candidate.data(), c(1).data());
  }
};

TEST(Product, ProbesMeasureTheErrorsThemselves) {
  for (Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::f64})
    for (Layout layout : kLayouts) {
      ProductCase a_case(layout, dtype, dtype);
      auto candidate = a_case.c(5);
      auto base = a_case.c(1);
      Figures probed = a_case.probed(candidate);
      Figures full = compare({dtype, a_case.exact.size(), candidate.data(), base.data(),
                              reinterpret_cast<const std::byte*>(a_case.exact.data())});
      const auto& word = to_word(kDtypeWords, dtype);
      // In double the probes' own roundings are as large.
      double ratio = probed.candidate_rms / full.candidate_rms;
      EXPECT_GT(ratio, 0.8) << word;
      EXPECT_LT(ratio, dtype == Dtype::f64 ? 4 : 1.2) << word;
      EXPECT_NEAR(probed.exact_rms / full.exact_rms, 1, 0.2) << word;
      EXPECT_LT(ratios(probed).rms, 8) << word;
      EXPECT_LT(ratios(probed).max, 16) << word;
    }
}

TEST(Product, WrongProductsAreSeenInEachLayout) {
  using Values = std::vector<double>;
  const std::pair<const char*, std::function<void(Values&)>> defects[] = {
      {"one element off by 1 %", [](Values& c) { c[7 * kProductN + 3] += 0.3; }},
      {"a row of zeros", [](Values& c) { std::fill_n(c.begin() + 9 * kProductN, kProductN, 0.0); }},
      {"the last element", [](Values& c) { c.back() = 0; }},
      {"a column twice",
       [](Values& c) {
         for (int64_t i = 0; i < kProductM; ++i) c[i * kProductN + 5] = c[i * kProductN + 6];
       }},
      {"tf32",
       [](Values& c) {
         for (size_t i = 0; i < c.size(); ++i) c[i] += (i % 3 == 0 ? 1 : -1) * 0x1p-11 * 24;
       }},
  };
  for (Layout layout : kLayouts) {
    ProductCase a_case(layout, Dtype::f32, Dtype::f32);
    for (const auto& [name, change] : defects) {
      Figures figures = a_case.probed(a_case.c(1, change));
      Ratios ratio = ratios(figures);
      EXPECT_TRUE(ratio.rms > 16 || ratio.max > 16) << name;
      EXPECT_GT(std::fabs(figures.worst.candidate - figures.worst.exact), 0.005) << name;
    }
    Figures nan = a_case.probed(a_case.c(1, [](Values& c) { c[55] = NAN; }));
    EXPECT_GT(nan.spread, 0u);
    EXPECT_EQ(nan.first_spread->index, 55u);
  }
}

TEST(Product, WholeNumbersAreExactOrNot) {
  for (Layout layout : kLayouts) {
    ProductCase a_case(layout, Dtype::i8, Dtype::i32);
    EXPECT_EQ(a_case.probed(a_case.c(0)).unequal, 0u);
    // Errors that cancel under +1 and -1.
    Figures figures = a_case.probed(a_case.c(0, [](std::vector<double>& c) {
      c[10 * kProductN + 1] += 1;
      c[10 * kProductN + 2] -= 1;
    }));
    EXPECT_EQ(figures.unequal, 1u);
    EXPECT_EQ(figures.first_unequal->index, static_cast<uint64_t>(10 * kProductN + 1));
  }
}

TEST(Product, ThreadsChangeNothing) {
  for (Layout layout : kLayouts) {
    ProductCase a_case(layout, Dtype::f32, Dtype::f32);
    auto candidate = a_case.c(5);
    for (int threads : {2, 3, 64})
      EXPECT_EQ(a_case.probed(candidate, threads).candidate_rms,
                a_case.probed(candidate, 1).candidate_rms);
  }
}

TEST(Product, SampledElementsAreExactAndAtTheCorners) {
  for (Layout layout : kLayouts) {
    ProductCase a_case(layout, Dtype::f32, Dtype::f32);
    SampledSums sampled = sample_sums(sums_of(a_case.product), kProductStream, 72);
    ASSERT_EQ(sampled.places.size(), 72u);
    EXPECT_EQ(sampled.places.front(), 0u);
    EXPECT_EQ(sampled.places.back(), static_cast<uint64_t>(kProductM * kProductN - 1));
    for (size_t i = 0; i < sampled.places.size(); ++i)
      EXPECT_NEAR(sampled.exact[i], a_case.exact[sampled.places[i]], 1e-12);
    auto good = pick(Dtype::f32, a_case.c(1).data(), sampled.places);
    EXPECT_EQ(beyond_bound(sampled, Dtype::f32, kProductK, Family::own, good.data()).count, 0u);
    auto last = a_case.c(1, [](std::vector<double>& c) { c.back() += 0.1; });
    auto bad = pick(Dtype::f32, last.data(), sampled.places);
    BeyondBound beyond = beyond_bound(sampled, Dtype::f32, kProductK, Family::own, bad.data());
    EXPECT_EQ(beyond.count, 1u);
    EXPECT_EQ(beyond.first, 71u);
  }
}

TEST(Product, RowsAreExactInEachLayout) {
  for (Layout layout : kLayouts) {
    ProductCase a_case(layout, Dtype::f32, Dtype::f32);
    ExactRows rows = exact_rows(a_case.product, kProductStream, 6, 2);
    ASSERT_EQ(rows.rows.size(), 6u);
    EXPECT_EQ(rows.rows.front(), 0);
    EXPECT_EQ(rows.rows.back(), kProductM - 1);
    for (size_t r = 0; r < rows.rows.size(); ++r)
      for (int64_t j = 0; j < kProductN; ++j) {
        auto place = static_cast<size_t>(rows.rows[r] * kProductN + j);
        EXPECT_NEAR(rows.exact[r * kProductN + static_cast<size_t>(j)], a_case.exact[place], 1e-10);
        if (j % 50 == 0) {
          EXPECT_NEAR(exact_element(a_case.product, place), a_case.exact[place], 1e-10);
        }
      }
    double largest = 0;
    for (double value : a_case.exact) largest = std::max(largest, std::fabs(value));
    EXPECT_GE(largest_sum(a_case.product), largest);
    // 601 products of two normal numbers.
    EXPECT_LT(largest_sum(a_case.product), 601 * 6.8 * 6.8);
  }
}

TEST(Product, FiguresOfProbesAreJudgedAsOthers) {
  ProductCase a_case(Layout::nn, Dtype::f32, Dtype::f32);
  auto rule = [&](const std::vector<std::byte>& candidate) {
    OutputFigures output;
    output.shape = {kProductM, kProductN};
    output.figures = a_case.probed(candidate);
    Round round;
    round.outputs = {output};
    return decide({judge_round(round, {})}, {}, {}).rule;
  };
  EXPECT_EQ(rule(a_case.c(3)), std::nullopt);
  EXPECT_EQ(rule(a_case.c(300)), Rule::precision);
  EXPECT_EQ(rule(a_case.c(1, [](auto& c) { std::fill_n(c.begin(), kProductN, 0.0); })),
            Rule::wrong);
}

}  // namespace
}  // namespace assay
