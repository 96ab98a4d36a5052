#include "verify/unaffected.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "fakes/numbers.h"

namespace assay {
namespace {

template <class T>
std::byte* bytes_in(std::vector<T>& values) {
  return reinterpret_cast<std::byte*>(values.data());
}

// A result of four elements: with NaN among the inputs, and with two choices of finite numbers.
struct UnaffectedCase {
  std::vector<float> candidate, baseline{NAN, NAN, 1, 2};
  std::vector<double> exact{kNan, kNan, 1, 2};
  std::vector<double> first{5, 6, 1, 2}, second{5, 6, 1, 2};
  std::vector<float> first_baseline{5, 6, 1, 2};

  uint64_t take_over() {
    Values values{Dtype::f32,      4,         bytes_in(candidate), bytes_in(baseline),
                  bytes_in(exact), Dtype::f64};
    Unaffected found(values, bytes_in(first), bytes_in(first_baseline));
    found.add(bytes_in(second));
    return found.take_over(values, bytes_in(exact), bytes_in(baseline));
  }
};

TEST(Unaffected, WhatDependsOnNoNanIsHeldToWhatItIsWithoutAny) {
  UnaffectedCase it{.candidate = {4, 6, 1, 2}};
  EXPECT_EQ(it.take_over(), 2u);
  EXPECT_EQ(it.exact, (std::vector<double>{5, 6, 1, 2})) << "right or not";
  EXPECT_EQ(it.baseline, (std::vector<float>{5, 6, 1, 2}));
}

TEST(Unaffected, WhatDependsOnItMustBeNan) {
  UnaffectedCase it{.candidate = {5, 6, 1, 2}};
  it.second[0] = 7;
  it.first[1] = it.second[1] = kNan;  // of something else
  EXPECT_EQ(it.take_over(), 0u);
  EXPECT_TRUE(std::isnan(it.exact[0]));
}

TEST(Unaffected, AnInfinityMayBeWhatItIs) {
  UnaffectedCase it{.candidate = {INFINITY, INFINITY, 1, 2}};
  it.first[0] = it.second[0] = kInfinity;
  it.exact[1] = kInfinity;  // and is none of a NaN's doing
  EXPECT_EQ(it.take_over(), 1u);
  EXPECT_EQ(it.exact[0], kInfinity);
}

TEST(Unaffected, WhoHasTheNanIsHeldToThat) {
  UnaffectedCase it{.candidate = {NAN, NAN, 1, 2}};
  EXPECT_EQ(it.take_over(), 0u);
  EXPECT_TRUE(std::isnan(it.exact[0]));
}

TEST(Unaffected, AConstantDependsOnNothing) {
  std::vector<float> baseline{1, 1};
  std::vector<double> exact{kNan, 1}, first{1, 1}, same = first, other{1, 2}, nan{kNan, kNan};
  Values values{Dtype::f32, 2, bytes_in(baseline), bytes_in(baseline), bytes_in(exact), Dtype::f64};
  Unaffected found(values, bytes_in(first), bytes_in(baseline));
  found.add(bytes_in(same));
  EXPECT_FALSE(found.some_are_affected());
  found.add(bytes_in(other));
  EXPECT_TRUE(found.some_are_affected());
  Unaffected without(values, bytes_in(nan), bytes_in(baseline));
  without.add(bytes_in(nan));
  EXPECT_FALSE(without.some_are_affected());
}

TEST(Unaffected, FiniteElementsStayAsTheyAre) {
  UnaffectedCase it{.candidate = {5, 6, 3, 2}};
  it.first[2] = it.second[2] = 3;
  EXPECT_EQ(it.take_over(), 2u);
  EXPECT_EQ(it.exact[2], 1);
}

}  // namespace
}  // namespace assay
