#include "verify/jumps.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace assay {
namespace {

template <class T>
std::byte* bytes(std::vector<T>& values) {
  return reinterpret_cast<std::byte*>(values.data());
}

// 64 elements of 1; what is set apart is said by the test.
struct Floats {
  std::vector<float> candidate = std::vector<float>(64, 1);
  std::vector<double> exact = std::vector<double>(64, 1), near = exact;

  bool by_order = false;

  uint64_t take_over() {
    return take_over_jumps(
        {Dtype::f32, 64, bytes(candidate), bytes(candidate), bytes(exact), Dtype::f64}, 1,
        bytes(near), by_order, bytes(exact), most_jumps(64));
  }
};

TEST(Jumps, WhoStandsOnTheOtherSideIsHeldToThat) {
  Floats it;
  it.candidate[5] = 2;
  it.near[5] = 2;
  it.near[6] = 2;  // jumps, and the candidate does not
  EXPECT_EQ(it.take_over(), 1u);
  EXPECT_EQ(it.exact[5], 2);
  EXPECT_EQ(it.exact[6], 1);
}

TEST(Jumps, WhereNothingJumpsNothingIsTakenOver) {
  Floats it;
  it.candidate[5] = 2;        // wrong
  it.candidate[6] = 1.0001F;  // and of few bits
  it.near[6] = 1.0001;
  EXPECT_EQ(it.take_over(), 0u);
  EXPECT_EQ(it.exact, std::vector<double>(64, 1));
}

TEST(Jumps, AnotherElementNeedNotBeFar) {
  Floats it;
  it.candidate[5] = 1.0001F;
  it.near[5] = static_cast<double>(1.0001F);
  EXPECT_EQ(it.take_over(), 0u);
  it.by_order = true;
  EXPECT_EQ(it.take_over(), 1u);
  it.candidate[6] = 1.0002F;  // and not what stands there otherwise
  it.near[6] = 1.0001;
  EXPECT_EQ(it.take_over(), 0u);
}

TEST(Jumps, AreExceptions) {
  Floats it;
  for (size_t i = 0; i < 6; ++i) it.near[i] = it.candidate[i] = 2;
  EXPECT_EQ(it.take_over(), 0u);
  it.candidate[0] = 1;
  EXPECT_EQ(it.take_over(), 5u);
}

TEST(Jumps, AnElementThatIsNoNumberIsLeft) {
  Floats it;
  it.near[5] = it.candidate[5] = std::numeric_limits<float>::quiet_NaN();
  it.near[6] = it.candidate[6] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(it.take_over(), 0u);
}

TEST(Jumps, WholeNumbersAreTheSameOrNot) {
  std::vector<int32_t> candidate(64, 1);
  std::vector<int64_t> exact(64, 1), near(64, 1);
  candidate[3] = 7, near[3] = 7;
  candidate[4] = 7, near[4] = 8;
  EXPECT_EQ(take_over_jumps(
                {Dtype::i32, 64, bytes(candidate), bytes(candidate), bytes(exact), Dtype::i64}, 1,
                bytes(near), false, bytes(exact), most_jumps(64)),
            1u);
  EXPECT_EQ(exact[3], 7);
  EXPECT_EQ(exact[4], 1);
}

}  // namespace
}  // namespace assay
