#include "verify/decide.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace assay {
namespace {

template <class T>
const std::byte* bytes(const std::vector<T>& of) {
  return reinterpret_cast<const std::byte*>(of.data());
}

RoundResult plain_round(const std::vector<float>& candidate, const std::vector<float>& baseline,
                        const std::vector<double>& exact, Round round = {}) {
  OutputFigures output;
  output.shape = {static_cast<int64_t>(exact.size())};
  output.values = {Dtype::f32,      exact.size(), bytes(candidate),
                   bytes(baseline), bytes(exact), Dtype::f64};
  output.figures = compare(output.values);
  round.outputs.push_back(std::move(output));
  return judge_round(round, {});
}

// Errors of `ratio` units where the baseline has one each.
RoundResult with_ratio(double ratio, Family family = Family::own, bool proven = false) {
  std::vector<double> exact(100, 1024);
  std::vector<float> baseline(100, 1024 + 0x1p-13F), candidate(100, 1024);
  for (float& value : candidate) value += static_cast<float>(ratio * 0x1p-13);
  Round round;
  round.family = family;
  round.integers_proven = proven;
  return plain_round(candidate, baseline, exact, round);
}

// NaN where the exact result has none, and the other way round.
Round not_finite(Family family) {
  static const std::vector<double> exact(100, 1024);
  static const std::vector<float> baseline(100, 1024);
  static const std::vector<float> candidate = [] {
    std::vector<float> values(100, 1024);
    values[3] = std::numeric_limits<float>::quiet_NaN();
    return values;
  }();
  OutputFigures output;
  output.shape = {100};
  output.values = {Dtype::f32,      exact.size(), bytes(candidate),
                   bytes(baseline), bytes(exact), Dtype::f64};
  output.figures = compare(output.values);
  Round round;
  round.family = family;
  round.outputs.push_back(std::move(output));
  return round;
}

TEST(Decide, APolicyMakesNonFiniteALabelForInputsThatAreNotFinite) {
  const Policy policy{.labels = bit_of(Rule::non_finite)};
  const RoundResult labelled = judge_round(not_finite(Family::nonfinite), policy);
  EXPECT_TRUE(labelled.complaints.empty());
  EXPECT_EQ(labelled.evidence["labelled"][0]["rule"], "non-finite");
  EXPECT_FALSE(labelled.evidence.contains("complaints"));
  const Finding accepted = decide({labelled, with_ratio(1)}, {}, policy);
  EXPECT_EQ(accepted.rule, std::nullopt);
  EXPECT_EQ(accepted.evidence["labelled"], Json::array({"non-finite"}));
  // For finite inputs it is what it was.
  const RoundResult own = judge_round(not_finite(Family::own), policy);
  EXPECT_EQ(decide({own}, {}, policy).rule, Rule::non_finite);
  EXPECT_EQ(decide({judge_round(not_finite(Family::nonfinite), {})}, {}, {}).rule,
            Rule::non_finite);
}

// 1e-4 of each element, and 1e-4: whatever the baseline's error, and whatever others are.
TEST(Decide, WhereNoErrorIsUsualEachElementIsHeldToATolerance) {
  auto judged = [](double small, Family family) {
    const std::vector<double> exact{1e5, 1, 2, 3};
    const std::vector<float> baseline{1e5, 1, 2, 3};
    const auto within = static_cast<float>(small);
    const std::vector<float> candidate{1e5F + 5, 1 + within, 2 - within, 3};
    OutputFigures output;
    output.shape = {4};
    output.values = {Dtype::f32, 4, bytes(candidate), bytes(baseline), bytes(exact), Dtype::f64};
    output.figures = compare(output.values);
    Round round;
    round.family = family;
    round.outputs.push_back(std::move(output));
    return decide({judge_round(round, {.by_tolerance = true})}, {}, {}).rule;
  };
  EXPECT_EQ(judged(1e-4, Family::own), std::nullopt);
  EXPECT_EQ(judged(1e-3, Family::own), Rule::wrong);
  EXPECT_EQ(judged(1e-3, Family::large), std::nullopt);
  EXPECT_EQ(decide({judge_round(not_finite(Family::large), {.by_tolerance = true})}, {}, {}).rule,
            Rule::non_finite);
}

TEST(Decide, ThresholdsAreThoseOfThePolicy) {
  EXPECT_FALSE(decide({with_ratio(8)}, {}, {}).reduced);
  Finding reduced = decide({with_ratio(1), with_ratio(9)}, {}, {});
  EXPECT_TRUE(reduced.reduced);
  EXPECT_EQ(reduced.rule, std::nullopt);
  EXPECT_EQ(reduced.evidence["accuracy"], "reduced");
  EXPECT_EQ(decide({with_ratio(16)}, {}, {}).rule, std::nullopt);
  Finding rejected = decide({with_ratio(1), with_ratio(17)}, {}, {});
  EXPECT_EQ(rejected.rule, Rule::precision);
  EXPECT_EQ(rejected.evidence["decided_by"]["complaints"][0]["index"], Json::array({0}));
  EXPECT_EQ(rejected.evidence["rounds"].size(), 2u);
}

TEST(Decide, RoundsThatAreExcusedHaveNoPartInTheRatios) {
  RoundResult excused = with_ratio(1000, Family::denormal);
  excused.excused = "flushes denormals";
  excused.complaints.clear();
  Finding finding = decide({with_ratio(2), excused}, {}, {});
  EXPECT_EQ(finding.rule, std::nullopt);
  EXPECT_LT(finding.evidence["rms_ratio"].get<double>(), 3);
  EXPECT_LT(finding.evidence["max_ratio"].get<double>(), 3);
}

TEST(Decide, SumsOfWholeNumbersAreExactOrLabelled) {
  EXPECT_EQ(decide({with_ratio(0, Family::integers, true)}, {}, {}).labels.size(), 0u);
  Finding near = decide({with_ratio(7, Family::integers, true)}, {}, {});
  EXPECT_EQ(near.rule, std::nullopt);
  EXPECT_EQ(near.labels, std::vector<std::string>{"not integer-exact"});
  EXPECT_EQ(decide({with_ratio(9, Family::integers, true)}, {}, {}).rule, Rule::precision);
  EXPECT_EQ(decide({with_ratio(9, Family::integers, false)}, {}, {}).rule, std::nullopt);
}

// The errors of equal terms add up in one direction, in a chain more than in a tree.
TEST(Decide, WhereValuesRepeatHalfOfTheBitsAreAskedFor) {
  for (Family family : {Family::zeros, Family::constants, Family::ties}) {
    Finding chain = decide({with_ratio(300, family)}, {}, {});
    EXPECT_EQ(chain.rule, std::nullopt);
    EXPECT_TRUE(chain.reduced);
    // A unit is 2^-23 of the result: half of the bits are 2^11 of them.
    EXPECT_EQ(decide({with_ratio(2048, family)}, {}, {}).rule, std::nullopt);
    EXPECT_EQ(decide({with_ratio(2060, family)}, {}, {}).rule, Rule::precision);
  }
  for (Family family : {Family::own, Family::interior, Family::large, Family::offset})
    EXPECT_EQ(decide({with_ratio(17, family)}, {}, {}).rule, Rule::precision);
}

// Indices of equal elements may come in any order where torch says so.
TEST(Decide, WholeNumbersMayMoveAsAnotherOrderMovesThem) {
  auto with_wrong = [](int64_t wrong, std::optional<uint64_t> moved, bool by_order) {
    std::vector<int64_t> exact(128, 1), candidate = exact;
    for (int64_t i = 0; i < wrong; ++i) candidate[static_cast<size_t>(i)] = 2;
    OutputFigures output;
    output.shape = {128};
    output.values = {Dtype::i64, 128, bytes(candidate), bytes(exact), bytes(exact), Dtype::i64};
    output.figures = compare(output.values);
    output.order_open = by_order;
    if (moved && by_order) output.moved_by_order = *moved;
    if (moved) output.sensitivity = Sensitivity{.unequal = *moved};
    Round round;
    round.outputs.push_back(std::move(output));
    return judge_round(round, {});
  };
  RoundResult unknown = with_wrong(1, std::nullopt, false);
  ASSERT_EQ(unknown.complaints.size(), 1u);
  EXPECT_TRUE(unknown.complaints[0].sensitivity_may_excuse);
  RoundResult still = with_wrong(1, 2, false);
  ASSERT_EQ(still.complaints.size(), 1u) << "which ones move is what matters";
  EXPECT_FALSE(still.complaints[0].sensitivity_may_excuse);
  EXPECT_TRUE(with_wrong(4, 2, true).other_order);
  EXPECT_EQ(with_wrong(5, 2, true).complaints.size(), 1u);
}

TEST(Decide, OneWrongElementIsNamed) {
  std::vector<double> exact(60, 1);
  std::vector<float> good(60, 1), bad = good;
  bad[37] = 0;
  Finding finding = decide({plain_round(bad, good, exact)}, {}, {});
  EXPECT_EQ(finding.rule, Rule::wrong);
  const Json& complaint = finding.evidence["decided_by"]["complaints"][0];
  EXPECT_EQ(complaint["index"], Json::array({37}));
  EXPECT_EQ(complaint["candidate"], 0.0);
  EXPECT_EQ(complaint["exact"], 1.0);
  EXPECT_NE(finding.why.find("inputs: own"), std::string::npos);
}

// Elements from 1e-9 to 1; the candidate has none below 5e-8, which nobody sees beside 1.
RoundResult without_small(Family family, bool cancelled) {
  std::vector<double> exact(1000);
  std::vector<float> baseline(1000), candidate(1000);
  for (size_t i = 0; i < exact.size(); ++i) {
    exact[i] = std::pow(10, -9 + 9 * static_cast<double>(i) / 1000);
    baseline[i] = static_cast<float>(exact[i]);
    candidate[i] = exact[i] < 5e-8 ? 0 : baseline[i];
    if (cancelled && i % 10 == 0 && exact[i] < 5e-8) baseline[i] = 0;
  }
  Round round;
  round.family = family;
  return plain_round(candidate, baseline, exact, round);
}

// bf16, from the bits of single precision: to the nearest, or without those that do not fit.
std::vector<uint16_t> halves(const std::vector<double>& of, bool cut_off) {
  std::vector<uint16_t> result;
  for (double value : of) {
    const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
    const uint32_t nearest = bits + 0x7fff + (bits >> 16 & 1);
    result.push_back(static_cast<uint16_t>((cut_off ? bits : nearest) >> 16));
  }
  return result;
}

// 64 rows of 64 numbers from 1 to 4, of either sign; `noise` in the candidate as a part of each.
RoundResult half_round(Family family, double noise, bool cut_off) {
  std::vector<double> exact(4096), off;
  for (size_t i = 0; i < exact.size(); ++i) {
    exact[i] = (i % 2 == 0 ? 1 : -1) * std::exp2(2 * std::fmod(0.618 * static_cast<double>(i), 1));
    off.push_back(exact[i] * (1 + noise * (i % 4 < 2 ? 1 : -1)));
  }
  const std::vector<uint16_t> candidate = halves(off, cut_off), baseline = halves(exact, false);
  OutputFigures output;
  output.shape = {64, 64};
  output.values = {Dtype::bf16,     exact.size(), bytes(candidate),
                   bytes(baseline), bytes(exact), Dtype::f64};
  output.figures = compare(output.values);
  Round round;
  round.family = family;
  round.outputs.push_back(std::move(output));
  return judge_round(round, {});
}

TEST(Decide, HalfPrecisionIsHeldToTwoRoundings) {
  auto rule = [](Family family, double noise) {
    return decide({half_round(family, noise, false)}, {}, {}).rule;
  };
  for (Family family : {Family::own, Family::touched, Family::interior, Family::moderate}) {
    EXPECT_EQ(rule(family, 0x1p-8), std::nullopt);
    EXPECT_EQ(rule(family, 0x1p-7), Rule::precision);
  }
  EXPECT_EQ(rule(Family::large, 0x1p-7), std::nullopt);
  const Json limits = decide({half_round(Family::own, 0, false)}, {}, {}).evidence["policy"];
  EXPECT_EQ(limits["rms_reduced"], 2);
  EXPECT_EQ(limits["max_most"], 6);
}

TEST(Decide, BitsThatAreCutOffShowByTheirSide) {
  RoundResult cut = half_round(Family::own, 0, true);
  ASSERT_EQ(cut.complaints.size(), 1u);
  EXPECT_NE(cut.complaints[0].why.find("100 % of its elements are off to one side"),
            std::string::npos)
      << cut.complaints[0].why;
  EXPECT_TRUE(half_round(Family::own, 0, false).complaints.empty());
  EXPECT_TRUE(half_round(Family::large, 0, true).complaints.empty());
}

TEST(Decide, SmallElementsAreToBeRightToo) {
  Finding finding = decide({without_small(Family::own, false)}, {}, {});
  EXPECT_EQ(finding.rule, Rule::precision);
  EXPECT_EQ(finding.evidence["decided_by"]["complaints"][0]["index"], Json::array({0}));
  // Where the baseline loses them as well, and on inputs that are not the problem's own.
  EXPECT_EQ(decide({without_small(Family::own, true)}, {}, {}).rule, std::nullopt);
  EXPECT_EQ(decide({without_small(Family::large, false)}, {}, {}).rule, std::nullopt);
}

TEST(Decide, TheStrongestRuleIsSaid) {
  std::vector<double> exact(10, 1);
  std::vector<float> good(10, 1), wrong(10, 2), nan(10, NAN);
  auto rule = [&](const std::vector<RoundResult>& rounds) { return decide(rounds, {}, {}).rule; };
  EXPECT_EQ(rule({with_ratio(100), plain_round(wrong, good, exact)}), Rule::wrong);
  EXPECT_EQ(rule({plain_round(wrong, good, exact), plain_round(nan, good, exact)}),
            Rule::non_finite);
  OutputFigures output;
  output.shape = {10};
  output.values = {Dtype::f32, 10, bytes(nan), bytes(good), bytes(exact)};
  output.figures = compare(output.values);
  output.unwritten = 3;
  output.first_unwritten = 7;
  Round round;
  round.outputs = {output};
  EXPECT_EQ(rule({judge_round(round, {})}), Rule::unwritten);
}

TEST(Decide, NonFiniteValuesMaySpreadNowhereUnlessThatWasTakenOver) {
  std::vector<double> exact(10, 1);
  std::vector<float> good(10, 1), spread = good;
  exact[3] = NAN;
  good[3] = spread[3] = spread[4] = NAN;
  Round round;
  round.family = Family::nonfinite;
  EXPECT_EQ(decide({plain_round(spread, good, exact, round)}, {}, {}).rule, Rule::non_finite);
  exact[4] = good[4] = NAN;
  OutputFigures output;
  output.shape = {10};
  output.values = {Dtype::f32, 10, bytes(spread), bytes(good), bytes(exact)};
  output.figures = compare(output.values);
  output.mixed = 1;
  round.outputs = {output};
  Finding finding = decide({judge_round(round, {})}, {}, {});
  EXPECT_EQ(finding.rule, std::nullopt);
  EXPECT_EQ(finding.labels, std::vector<std::string>{"spreads non-finite values"});
}

// Where all cancels, a baseline can be exact by luck, and another order of the same sum is not.
TEST(Decide, WhatARoundingOfTheInputsDoesIsExcused) {
  std::vector<double> exact(50, 0);
  std::vector<float> lucky(50, 0), honest(50, 1e-7F), broken(50, 1e-4F);
  auto judged = [&](const std::vector<float>& candidate, std::optional<Sensitivity> known) {
    OutputFigures output;
    output.shape = {50};
    output.values = {Dtype::f32, 50, bytes(candidate), bytes(lucky), bytes(exact), Dtype::f64};
    output.figures = compare(output.values);
    output.sensitivity = known;
    Round round;
    round.outputs = {output};
    return judge_round(round, {});
  };
  RoundResult unknown = judged(honest, std::nullopt);
  ASSERT_EQ(unknown.complaints.size(), 1u);
  EXPECT_TRUE(unknown.complaints[0].sensitivity_may_excuse);
  EXPECT_TRUE(judged(honest, Sensitivity{5e-8, 1e-7}).complaints.empty());
  RoundResult known = judged(broken, Sensitivity{5e-8, 1e-7});
  ASSERT_EQ(known.complaints.size(), 1u);
  EXPECT_FALSE(known.complaints[0].sensitivity_may_excuse);
}

TEST(Decide, ARaceIsNotAWrongFormula) {
  Finding differ = decide({with_ratio(1)}, {{false, true, true}}, {});
  EXPECT_EQ(differ.rule, std::nullopt);
  EXPECT_EQ(differ.labels, std::vector<std::string>{"not bit-reproducible"});
  EXPECT_EQ(decide({with_ratio(1)}, {{false, true, false}}, {}).rule, Rule::nondeterministic);
  EXPECT_EQ(decide({with_ratio(100)}, {{false, false, true}}, {}).rule, Rule::nondeterministic);
}

TEST(Decide, IndicesMayMissWhereTheBaselineDoes) {
  auto rule = [](std::vector<int64_t> candidate, std::vector<int64_t> baseline) {
    std::vector<int64_t> exact(100, 5);
    candidate.resize(100, 5);
    baseline.resize(100, 5);
    OutputFigures output;
    output.shape = {100};
    output.values = {Dtype::i64, 100, bytes(candidate), bytes(baseline), bytes(exact), Dtype::i64};
    output.figures = compare(output.values);
    Round round;
    round.outputs = {output};
    return decide({judge_round(round, {})}, {}, {}).rule;
  };
  EXPECT_EQ(rule({}, {}), std::nullopt);
  EXPECT_EQ(rule({6}, {}), Rule::wrong);
  EXPECT_EQ(rule({6, 6, 6}, {4}), std::nullopt);
  EXPECT_EQ(rule({6, 6, 6, 6, 6, 6, 6, 6, 6}, {4}), Rule::wrong);
}

TEST(Decide, WhereTorchIsFarOffNothingIsSaid) {
  std::vector<double> exact(100, 1);
  std::vector<float> as_exact(100, 1), as_torch(100, 1.1F), near(100, 1.01F);
  auto open = [&](const std::vector<float>& candidate, const std::vector<float>& baseline,
                  Family family) {
    Round round;
    round.family = family;
    return plain_round(candidate, baseline, exact, round).open;
  };
  EXPECT_EQ(open(as_torch, as_torch, Family::own), kBaselineFarOff);
  EXPECT_EQ(open(as_exact, as_torch, Family::own), kBaselineFarOff) << "exact is another function";
  EXPECT_EQ(open(as_torch, as_torch, Family::large), "");
  EXPECT_EQ(open(near, near, Family::own), "");
}

TEST(Decide, WhatWasNotComparedIsSaid) {
  std::vector<double> exact(10, NAN);
  std::vector<float> nan(10, NAN);
  EXPECT_EQ(decide({plain_round(nan, nan, exact)}, {}, {}).labels,
            std::vector<std::string>{"nothing compared"});
}

TEST(Decide, EvidenceIsJsonOfFiniteNumbers) {
  std::vector<double> exact{1, NAN, INFINITY};
  std::vector<float> good{1, NAN, INFINITY}, bad{NAN, -INFINITY, 3e38F};
  std::string text = dump_json(decide({plain_round(bad, good, exact)}, {}, {}).evidence);
  EXPECT_NE(text.find("\"exact\":\"nan\""), std::string::npos) << text;
}

}  // namespace
}  // namespace assay
