#include "verify/other_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace assay {
namespace {

struct State {
  ProblemDescription problem;
  SharedTensors memory;

  static State of(std::vector<std::pair<const char*, std::vector<float>>> tensors) {
    ProblemDescription problem;
    std::vector<TensorSpec> specs;
    for (const auto& [name, values] : tensors) {
      TensorSpec spec;
      spec.shape = {static_cast<int64_t>(values.size())};
      StateTensor each;
      each.name = name;
      each.kind = "parameter";
      each.tensor = spec;
      problem.state.push_back(std::move(each));
      specs.push_back(spec);
    }
    SharedTensors memory =
        *SharedTensors::create("assay-test", specs, SharedTensors::Access::write);
    for (size_t i = 0; i < tensors.size(); ++i)
      std::memcpy(memory.tensor(i).data(), tensors[i].second.data(), memory.tensor(i).size());
    return {std::move(problem), std::move(memory)};
  }
  std::vector<float> values(size_t i) const {
    std::vector<float> result(memory.tensor(i).size() / sizeof(float));
    std::memcpy(result.data(), memory.tensor(i).data(), memory.tensor(i).size());
    return result;
  }
};

TEST(OtherState, AParameterThatNoSeedChangesIsFixed) {
  State state =
      State::of({{"table", {1, 0, -2, 1e-6F}}, {"weight", {1, 2, 3, 4}}, {"mask", {0, 1}}});
  state.problem.state[2].kind = "buffer";
  FixedState fixed(state.problem, state.memory);
  EXPECT_FALSE(fixed.any());
  State second =
      State::of({{"table", {1, 0, -2, 1e-6F}}, {"weight", {4, 3, 2, 1}}, {"mask", {0, 1}}});
  fixed.compare(second.problem, second.memory);
  EXPECT_TRUE(fixed.any());
  fixed.draw(second.problem, second.memory, RandomStream(Seed{}, "x"));
  EXPECT_EQ(second.values(1), (std::vector<float>{4, 3, 2, 1}));
  EXPECT_EQ(second.values(2), (std::vector<float>{0, 1}));
  std::vector<float> table = second.values(0);
  EXPECT_NE(table[1], 0);
  EXPECT_LE(table[2], -1);
  EXPECT_GE(table[3], 0.5F) << "large enough to be seen";
}

TEST(OtherState, DrawsWhatIsTheSameEverywhere) {
  const std::vector<float> ones(100, 1), zeros(100, 0), minus(100, -2), own{1, 2, 3}, single{5},
      constant{7};
  State state = State::of({{"scale", ones},
                           {"shift", zeros},
                           {"gate", minus},
                           {"weight", own},
                           {"factor", single},
                           {"constant", constant}});
  state.problem.state[5].kind = "buffer";
  FixedState fixed(state.problem, state.memory);
  EXPECT_TRUE(fixed.any());
  fixed.draw(state.problem, state.memory, RandomStream(Seed{}, "x"));
  EXPECT_EQ(state.values(3), own);
  EXPECT_NE(state.values(4), single) << "a learned number, though it is one";
  EXPECT_EQ(state.values(5), constant);
  for (size_t i : {0u, 1u, 2u}) {
    std::vector<float> values = state.values(i);
    std::ranges::sort(values);
    EXPECT_EQ(std::ranges::adjacent_find(values), values.end()) << i;
  }
  // A variance stays positive, and what was negative stays negative.
  EXPECT_TRUE(std::ranges::all_of(state.values(0), [](float x) { return x >= 0.5F && x < 1.5F; }));
  EXPECT_TRUE(std::ranges::all_of(state.values(2), [](float x) { return x > -3 && x <= -1; }));
  state.problem.state.erase(state.problem.state.begin() + 4);  // one element is always uniform
  EXPECT_FALSE(FixedState(state.problem, state.memory).any());
}

TEST(OtherState, LeavesAloneWhatNobodyHandsOver) {
  State state = State::of({{"scale", {1, 1}}});
  state.problem.state[0].kind = "other";
  EXPECT_FALSE(FixedState(state.problem, state.memory).any());
  state = State::of({{"mask", {-INFINITY, -INFINITY}}, {"own", {1, 2}}});
  EXPECT_FALSE(FixedState(state.problem, state.memory).any());
}

}  // namespace
}  // namespace assay
