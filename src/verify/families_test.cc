#include "verify/families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "fakes/numbers.h"
#include "verify/margins.h"
#include "verify/number.h"

namespace assay {
namespace {

const RandomStream kFamilyStream(Seed{}, "families");
const RandomStream kEarlier(Seed{}, "earlier");

struct Tensor {
  TensorSpec spec;
  std::vector<std::byte> memory;

  explicit Tensor(TensorSpec of) : spec(std::move(of)), memory(spec.span_bytes()) {}

  std::vector<double> values() const {
    std::vector<double> result(spec.elements());
    std::vector<std::byte> packed(spec.elements() * bytes_of(spec.dtype));
    gather(spec, memory.data(), 0, spec.elements(), packed.data());
    load_block(spec.dtype, packed.data(), result.size(), result.data());
    return result;
  }
};

Tensor filled(const TensorSpec& spec, const Draw* draw, const FamilyFill& how) {
  Tensor tensor(spec);
  auto status = fill_family(spec, draw, how, kFamilyStream, tensor.memory.data());
  EXPECT_TRUE(status) << status.error().describe();
  return tensor;
}

std::vector<double> values(const TensorSpec& spec, const Draw* draw, Family family) {
  FamilyFill how;
  how.family = family;
  how.earlier = &kEarlier;
  return filled(spec, draw, how).values();
}

const Draw kRandn{};

TEST(Families, FloatingTensorsHoldWhatTheirFamilySays) {
  for (Dtype dtype : kFloating) {
    TensorSpec spec{dtype, {64, 100}, {}};
    auto all = [&](Family family, auto holds) {
      for (double value : values(spec, &kRandn, family))
        if (!holds(value)) return testing::AssertionFailure() << value;
      return testing::AssertionSuccess();
    };
    double most = largest_finite(dtype), step = smallest_step(dtype);
    EXPECT_TRUE(all(Family::zeros, [](double x) { return x == 0; }));
    EXPECT_TRUE(all(Family::ties,
                    [](double x) { return std::fabs(x) <= 1 && x * 2 == std::floor(x * 2); }));
    EXPECT_TRUE(all(Family::large, [&](double x) { return std::fabs(x) < most; }));
    EXPECT_TRUE(all(Family::moderate, [](double x) { return std::fabs(x) < 500; }));
    EXPECT_TRUE(all(Family::offset, [](double x) { return x > 8; }));
    EXPECT_TRUE(all(Family::spike, [](double x) { return std::fabs(x) < 3.1e4; }));
    auto constant = values(spec, &kRandn, Family::constants);
    EXPECT_TRUE(
        std::ranges::all_of(constant, [&](double x) { return x == constant[0] && x != 0; }));
    auto small = values(spec, &kRandn, Family::denormal);
    double normal = std::ldexp(step, static_cast<int>(-std::log2(unit_roundoff(dtype))) - 1);
    auto below = std::ranges::count_if(small, [&](double x) { return std::fabs(x) < normal; });
    auto zero = std::ranges::count(small, 0.0);
    EXPECT_GT(below, 6300) << "nearly all are subnormal";
    EXPECT_LT(zero, 640) << "few of them are 0";
    EXPECT_GT(std::ranges::max(values(spec, &kRandn, Family::large)), 500);
    auto moderate = values(spec, &kRandn, Family::moderate);
    for (double low : {0.02, 0.2, 2.0, 20.0}) {
      auto here = std::ranges::count_if(moderate, [&](double x) { return x > low && x < 4 * low; });
      EXPECT_GT(here, 200) << "above " << low;
    }
  }
}

TEST(Families, NonfiniteValuesAreFewOfEachKindAndAtTheEnd) {
  for (int64_t elements : {1, 2, 3, 10, 2000, 70'000, 400'000}) {
    auto found = values({Dtype::f32, {elements}, {}}, &kRandn, Family::nonfinite);
    auto nan = std::ranges::count_if(found, [](double x) { return std::isnan(x); });
    auto up = std::ranges::count(found, INFINITY), down = std::ranges::count(found, -INFINITY);
    EXPECT_FALSE(std::isfinite(found.back())) << elements;
    EXPECT_GE(nan, 1);
    EXPECT_EQ(nan + up + down, std::min<int64_t>(elements >= 400'000 ? 19
                                                 : elements >= 2000  ? 13
                                                                     : 4,
                                                 elements));
    if (elements < 2000) continue;
    EXPECT_GE(std::min({nan, up, down}), 4);
  }
}

TEST(Families, LabelsInFloatingPointStayLabels) {
  Draw labels{.kind = DrawKind::randint, .int_low = 0, .int_high = 2, .scale = 2, .shift = -1};
  for (const auto& [family, word] : kFamilyWords) {
    auto found = values({Dtype::f32, {40, 50}, {}}, &labels, family);
    EXPECT_TRUE(std::ranges::all_of(found, [](double x) { return x == 1 || x == -1; })) << word;
    EXPECT_EQ(std::ranges::count(found, -1.0) == 2000, family == Family::zeros) << word;
  }
}

// What a problem computes from its draws, (torch.rand(n) > 0.3).float() for instance, may be a
// mask.
TEST(Families, ComputedLabelsStayAsTheyAre) {
  auto after = [](const std::vector<float>& computed, Family family) {
    std::vector<float> values = computed;
    TensorSpec spec{Dtype::f32, {static_cast<int64_t>(values.size())}, {}};
    FamilyFill how{.family = family};
    EXPECT_TRUE(fill_family(spec, nullptr, how, kFamilyStream,
                            reinterpret_cast<std::byte*>(values.data())));
    return values;
  };
  std::vector<float> mask(700), ones(700, 1), many(700);
  for (size_t i = 0; i < mask.size(); ++i) {
    mask[i] = i % 3 == 0 ? -std::numeric_limits<float>::infinity() : 0;
    many[i] = static_cast<float>(i % 17);
  }
  for (const auto& [family, word] : kFamilyWords) EXPECT_EQ(after(mask, family), mask) << word;
  EXPECT_NE(after(ones, Family::moderate), ones) << "which shows nothing";
  EXPECT_NE(after(many, Family::moderate), many);
  std::vector<float> rows(700);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = 0.1F * static_cast<float>(i / 100);
  EXPECT_NE(after(rows, Family::moderate), rows) << "no labels: they have too many bits";
  std::vector<float> slopes(700);
  for (size_t i = 0; i < slopes.size(); ++i) slopes[i] = std::ldexp(1.0F, -static_cast<int>(i % 8));
  EXPECT_NE(after(slopes, Family::moderate), slopes) << "weights, each of one bit";
}

TEST(Families, NanIsInsideToo) {
  // Neither in the last row nor in its last elements, where most loops have code of their own.
  constexpr int64_t kRows = 40, kColumns = 60;
  std::set<std::string> last;
  for (int n = 0; n < 30; ++n) {
    Tensor tensor({Dtype::f32, {kRows, kColumns}, {}});
    FamilyFill how;
    how.family = Family::nonfinite;
    ASSERT_TRUE(fill_family(tensor.spec, &kRandn, how, kFamilyStream.named(std::to_string(n)),
                            tensor.memory.data()));
    auto found = tensor.values();
    int inside = 0;
    for (size_t row = 5; row < kRows - 5; ++row)
      for (size_t column = 7; column < kColumns - 7; ++column)
        inside += std::isnan(found[row * kColumns + column]);
    EXPECT_GE(inside, 1) << n;
    last.insert(std::to_string(std::fabs(found.back())) + (found.back() < 0 ? "-" : "+"));
  }
  EXPECT_EQ(last.size(), 3u) << "the last element is of any kind";
}

TEST(Families, FiniteNumbersStandWhereNonfiniteOnesWould) {
  auto drawn = [](FiniteChoice finite) {
    Tensor tensor({Dtype::f32, {2000}, {}});
    FamilyFill how{.family = Family::nonfinite, .finite = finite};
    EXPECT_TRUE(fill_family(tensor.spec, &kRandn, how, kFamilyStream, tensor.memory.data()));
    return tensor.values();
  };
  const auto gaps = drawn({});
  std::vector<std::vector<double>> choices;
  for (int choice = 0; choice < kFiniteChoices; ++choice)
    choices.push_back(drawn({.kinds = FiniteChoice::kAll, .choice = choice}));
  const auto without_nan = drawn({.kinds = FiniteChoice::kNan, .choice = 1});
  const auto but_one = drawn({.kinds = FiniteChoice::kAll, .kept = 5});
  int places = 0, nans = 0, kept = 0;
  for (size_t i = 0; i < gaps.size(); ++i) {
    std::set<double> numbers, sizes;
    for (const auto& each : choices) numbers.insert(each[i]), sizes.insert(std::fabs(each[i]));
    if (std::isfinite(gaps[i])) {
      EXPECT_EQ(numbers, std::set<double>{gaps[i]}) << i;
      EXPECT_EQ(without_nan[i], gaps[i]);
      continue;
    }
    ++places;
    EXPECT_GE(sizes.size(), size_t{kFiniteChoices - 1}) << "other ones each time";
    EXPECT_TRUE(*numbers.begin() <= -30 && *numbers.rbegin() >= 30 && numbers.contains(0));
    EXPECT_TRUE(*std::next(sizes.begin()) <= 0.5);
    kept += std::isfinite(but_one[i]) ? 0 : 1;
    nans += std::isnan(gaps[i]) ? 1 : 0;
    EXPECT_EQ(std::isfinite(without_nan[i]), std::isnan(gaps[i])) << i;
  }
  EXPECT_EQ(places, 13);
  EXPECT_EQ(kept, 1);
  EXPECT_GE(nans, 4);
}

TEST(Families, SpikesStandOutAndTheLastElementIsOne) {
  auto found = values({Dtype::f32, {100, 100}, {}}, &kRandn, Family::spike);
  EXPECT_EQ(std::ranges::count_if(found, [](double x) { return std::fabs(x) == 3e4; }), 9);
  EXPECT_EQ(std::fabs(found.back()), 3e4);
}

TEST(Families, FamiliesThatBuildOnOwnLeaveTheRest) {
  TensorSpec spec{Dtype::f32, {50, 60}, {}};
  auto own = values(spec, &kRandn, Family::own);
  for (Family family : {Family::spike, Family::nonfinite}) {
    auto changed = values(spec, &kRandn, family);
    int same = 0;
    for (size_t i = 0; i < own.size(); ++i) same += own[i] == changed[i];
    EXPECT_GE(same, 2980);
    EXPECT_LT(same, 3000);
    // Where get_inputs() drew, on what it drew.
    Tensor tensor(spec);
    FamilyFill how;
    how.family = family;
    ASSERT_TRUE(fill_family(spec, nullptr, how, kFamilyStream, tensor.memory.data()));
    EXPECT_EQ(std::ranges::count(tensor.values(), 0.0), same);
  }
}

TEST(Families, InteriorKeepsTheMarginsOfAnEarlierDraw) {
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{100}, {40, 50}, {2, 3, 16, 24}, {100'000}}) {
    TensorSpec spec{Dtype::f32, shape, {}};
    Tensor earlier(spec);
    ASSERT_TRUE(fill_family(spec, &kRandn, {}, kEarlier, earlier.memory.data()));
    FamilyFill how;
    how.family = Family::interior;
    how.earlier = &kEarlier;
    Tensor now = filled(spec, &kRandn, how);
    auto a = earlier.values(), b = now.values();
    EXPECT_EQ(a.front(), b.front());
    EXPECT_EQ(a.back(), b.back());
    size_t centre = 0;
    for (int64_t size : shape)
      centre = centre * static_cast<size_t>(size) + static_cast<size_t>(size / 2);
    EXPECT_NE(a[centre], b[centre]);
    EXPECT_TRUE(is_fresh(spec, now.memory.data(), earlier.memory.data()));
  }
  // Nothing to keep: all is drawn anew.
  EXPECT_NE(values({Dtype::f32, {2, 3}, {}}, &kRandn, Family::interior), [] {
    Tensor t({Dtype::f32, {2, 3}, {}});
    EXPECT_TRUE(fill_family(t.spec, &kRandn, {}, kEarlier, t.memory.data()));
    return t.values();
  }());
}

TEST(Families, TouchedChangesAFewElementsOfAnEarlierDraw) {
  Draw whole;
  whole.kind = DrawKind::randint;
  whole.int_high = 1'000'000;
  for (auto [dtype, draw] : {std::pair{Dtype::f32, &kRandn}, {Dtype::i64, &whole}})
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{1}, {5}, {40, 50}, {300, 400}}) {
      TensorSpec spec{dtype, shape, {}};
      Tensor earlier(spec);
      ASSERT_TRUE(fill_family(spec, draw, {}, kEarlier, earlier.memory.data()));
      auto a = earlier.values(), b = values(spec, draw, Family::touched);
      uint64_t different = 0;
      for (size_t i = 0; i < a.size(); ++i) different += a[i] != b[i];
      EXPECT_EQ(different, std::min<uint64_t>(a.size(), std::max<uint64_t>(a.size() / 512, 2)));
      for (size_t i = 0; i < a.size(); ++i)
        EXPECT_TRUE(a[i] == b[i] || is_interior(shape, i)) << "the margins are as they were";
    }
}

TEST(Families, MasksOfOneValueAreTurnedInPlaces) {
  // Of whole numbers it is none where all are 0: an index, more likely.
  const std::tuple<Dtype, DrawKind, bool> kCases[] = {{Dtype::boolean, DrawKind::zeros, true},
                                                      {Dtype::boolean, DrawKind::ones, true},
                                                      {Dtype::i64, DrawKind::ones, true},
                                                      {Dtype::i64, DrawKind::zeros, false}};
  for (auto [dtype, kind, is_mask] : kCases) {
    TensorSpec spec{dtype, {4000}, {}};
    Draw mask;
    mask.kind = kind;
    EXPECT_EQ(is_still_mask(spec, mask), is_mask);
    const double own = kind == DrawKind::ones;
    for (const auto& [family, word] : kFamilyWords) {
      auto found = values(spec, &mask, family);
      auto turned = std::ranges::count_if(found, [&](double value) { return value != own; });
      if (is_mask && family == Family::ties)
        EXPECT_NEAR(static_cast<double>(turned), 500, 120) << word;
      else
        EXPECT_EQ(turned, 0) << word;
    }
  }
}

TEST(Families, IndicesKeepTheirRange) {
  Draw index;
  index.kind = DrawKind::randint;
  index.int_low = 10;
  index.int_high = 1000;
  TensorSpec spec{Dtype::i64, {500}, {}};
  for (const auto& [family, word] : kFamilyWords) {
    auto found = values(spec, &index, family);
    EXPECT_GE(std::ranges::min(found), 10) << word;
    EXPECT_LT(std::ranges::max(found), 1000) << word;
    auto distinct = std::set<double>(found.begin(), found.end()).size();
    switch (family) {
      case Family::zeros:
        EXPECT_EQ(found, std::vector<double>(500, 10));
        break;
      case Family::large:
        EXPECT_EQ(found, std::vector<double>(500, 999));
        break;
      case Family::constants:
        EXPECT_EQ(distinct, 1u);
        break;
      case Family::ties:
        EXPECT_EQ(distinct, 3u);
        break;
      default:
        EXPECT_GT(distinct, 300u) << word;
    }
  }
  Draw order;
  order.kind = DrawKind::randperm;
  for (Family family : {Family::zeros, Family::ties, Family::interior}) {
    auto found = values({Dtype::i64, {100}, {}}, &order, family);
    EXPECT_EQ(std::set<double>(found.begin(), found.end()).size(), 100u);
  }
}

TEST(Families, IntegersAreOddOrOneAndSumsOfTheirProductsWhole) {
  for (Dtype dtype : kFloating)
    for (uint64_t length : {1u, 100u, 4096u, 1'000'000u}) {
      FamilyFill wide, narrow;
      wide.family = narrow.family = Family::integers;
      wide.sum_length = narrow.sum_length = length;
      narrow.role = Role::other;
      TensorSpec spec{dtype, {4096}, {}};
      Tensor other(spec);
      ASSERT_TRUE(fill_family(spec, &kRandn, narrow, kEarlier, other.memory.data()));
      auto a = filled(spec, &kRandn, wide).values(), b = other.values();
      double limit = dtype == Dtype::f64 ? 0x1p53 : dtype == Dtype::f16 ? 65504 : 0x1p24;
      double sum = 0, most = 0;
      for (size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(std::fmod(std::fabs(a[i]), 2), 1) << a[i];
        ASSERT_LE(std::fabs(b[i]), 1);
        sum += a[i] * b[i];
        most = std::max(most, std::fabs(sum));
      }
      if (length >= 4096) {
        EXPECT_LT(most, limit);
      }
    }
  EXPECT_EQ(widest_integer(Dtype::f32, 4096, 0), 4095);
  EXPECT_EQ(widest_integer(Dtype::f32, 4096, 1), 255);
  EXPECT_EQ(widest_integer(Dtype::f32, 4096, 20), 1);
  EXPECT_EQ(widest_integer(Dtype::bf16, 64, 0), 255);
  EXPECT_LE(widest_integer(Dtype::f16, 1, 0), 2047);
}

TEST(Families, PerturbingMovesEachElementByOneRounding) {
  auto moved = [](float value, double steps) {
    TensorSpec spec{Dtype::f32, {}, {}};
    perturb(spec, kFamilyStream, reinterpret_cast<std::byte*>(&value), steps);
    return value;
  };
  for (float meant : {0.0F, 1.0F, -0.5F, 12.0F, 1000.0F, 0.75F}) EXPECT_EQ(moved(meant, 1), meant);
  std::vector<float> some{0.3F, -1e9F, 0.7F, -1e9F, -1e9F};
  perturb({Dtype::f32, {5}, {}}, kFamilyStream, reinterpret_cast<std::byte*>(some.data()));
  EXPECT_EQ(some[1], -1e9F) << "it comes again and again";
  EXPECT_NE(some[0], 0.3F);
  for (double steps : {1.0, 4.0}) {
    float up = moved(0.3F, steps) - 0.3F, down = moved(0.3F, -steps) - 0.3F;
    EXPECT_EQ(up, -down);
    EXPECT_NEAR(std::fabs(up), steps * 0x1p-23 * 0.3, 0x1p-25);
  }

  for (Dtype dtype : kFloating) {
    TensorSpec spec{dtype, {40, 50}, {1, 40}};
    Tensor tensor(spec);
    ASSERT_TRUE(fill_family(spec, &kRandn, {}, kFamilyStream, tensor.memory.data()));
    auto before = tensor.values();
    perturb(spec, kFamilyStream.named("p"), tensor.memory.data());
    auto after = tensor.values();
    int others = 0;
    for (size_t i = 0; i < before.size(); ++i) {
      others += before[i] != after[i];
      ASSERT_LE(std::fabs(after[i] - before[i]),
                4.01 * unit_roundoff(dtype) * std::fabs(before[i]));
    }
    EXPECT_GT(others, 1800) << "all but those of few bits";
  }
}

TEST(Families, FreshMeansDifferentAllOver) {
  TensorSpec spec{Dtype::f32, {100, 100}, {}};
  Tensor a(spec);
  ASSERT_TRUE(fill_family(spec, &kRandn, {}, kFamilyStream, a.memory.data()));
  Tensor b = a;
  EXPECT_FALSE(is_fresh(spec, a.memory.data(), b.memory.data()));
  auto change = [&](uint64_t first, uint64_t last, uint64_t step) {
    for (uint64_t i = first; i < last; i += step) b.memory[4 * i] ^= std::byte{1};
  };
  change(0, 2500, 1);
  EXPECT_FALSE(is_fresh(spec, a.memory.data(), b.memory.data())) << "only one quarter";
  b = a;
  change(0, 10'000, 200);
  EXPECT_FALSE(is_fresh(spec, a.memory.data(), b.memory.data())) << "half a percent";
  b = a;
  change(0, 10'000, 100);
  EXPECT_TRUE(is_fresh(spec, a.memory.data(), b.memory.data()));
}

}  // namespace
}  // namespace assay
