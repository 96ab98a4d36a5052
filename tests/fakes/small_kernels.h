// Small problems with what is exact and what a library computes, and the whole way from inputs of
// each family to a finding about a candidate.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "verify/decide.h"
#include "verify/number.h"

namespace assay::small {

using Floats32 = std::vector<float>;
using Inputs = std::vector<Floats32>;

// One output, all of it f32. `exact` is the same formula in double.
struct Problem {
  std::vector<std::vector<int64_t>> inputs;
  std::vector<int64_t> output;
  std::function<std::vector<double>(const std::vector<std::vector<double>>&)> exact;
  std::function<Floats32(const Inputs&)> baseline;
  Draw draw;
  uint64_t sum_length = 1;
  bool whole = false;  // whole numbers give whole numbers at every step
};

inline float through(Dtype dtype, float value) {
  return static_cast<float>(round_to(dtype, static_cast<double>(value)));
}

// --- C = A B ---

constexpr size_t kM = 9, kN = 11, kK = 501;
using Dot = std::function<float(const float* a, const float* b)>;  // of a row and a column

inline Floats32 product(const Inputs& in, const Dot& dot) {
  Floats32 result, column(kK);
  for (size_t i = 0; i < kM; ++i)
    for (size_t j = 0; j < kN; ++j) {
      for (size_t k = 0; k < kK; ++k) column[k] = in[1][k * kN + j];
      result.push_back(dot(in[0].data() + i * kK, column.data()));
    }
  return result;
}

template <class T>
T lanes_dot(const T* a, const T* b, size_t count) {  // as a vectorised library does
  T sums[8] = {};
  for (size_t k = 0; k < count; ++k) sums[k % 8] += a[k] * b[k];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

inline Problem matmul(DrawKind kind) {
  Problem problem;
  problem.inputs = {{kM, kK}, {kK, kN}};
  problem.output = {kM, kN};
  problem.draw.kind = kind;
  problem.sum_length = kK;
  problem.whole = true;
  problem.exact = [](const auto& in) {
    std::vector<double> result;
    for (size_t i = 0; i < kM; ++i)
      for (size_t j = 0; j < kN; ++j) {
        long double sum = 0;
        for (size_t k = 0; k < kK; ++k)
          sum += static_cast<long double>(in[0][i * kK + k]) * in[1][k * kN + j];
        result.push_back(static_cast<double>(sum));
      }
    return result;
  };
  problem.baseline = [](const Inputs& in) {
    return product(in, [](const float* a, const float* b) { return lanes_dot(a, b, kK); });
  };
  return problem;
}

// --- softmax, layer norm, relu, sum of rows ---

constexpr size_t kRows = 20, kColumns = 300;
template <class T>
using Row = std::function<void(const T* in, T* out)>;

template <class T>
std::vector<T> by_row(const std::vector<T>& in, size_t outputs, const Row<T>& row) {
  std::vector<T> result(kRows * outputs);
  for (size_t i = 0; i < kRows; ++i) row(in.data() + i * kColumns, result.data() + i * outputs);
  return result;
}

template <class T>
void softmax(const T* in, T* out) {
  T most = in[0], sum = 0;
  for (size_t j = 0; j < kColumns; ++j) most = in[j] > most || in[j] != in[j] ? in[j] : most;
  for (size_t j = 0; j < kColumns; ++j) sum += out[j] = std::exp(in[j] - most);
  for (size_t j = 0; j < kColumns; ++j) out[j] /= sum;
}

template <class T>
void layer_norm(const T* in, T* out) {
  T mean = 0, variance = 0;
  for (size_t j = 0; j < kColumns; ++j) mean += in[j];
  mean /= kColumns;
  for (size_t j = 0; j < kColumns; ++j) variance += (in[j] - mean) * (in[j] - mean);
  T scale = 1 / std::sqrt(variance / kColumns + static_cast<T>(1e-5));
  for (size_t j = 0; j < kColumns; ++j) out[j] = (in[j] - mean) * scale;
}

template <class T>
void relu(const T* in, T* out) {
  for (size_t j = 0; j < kColumns; ++j) out[j] = in[j] < 0 ? 0 : in[j];
}

template <class T>
void sum(const T* in, T* out) {
  T parts[8] = {};
  for (size_t j = 0; j < kColumns; ++j) parts[j % 8] += in[j];
  *out = ((parts[0] + parts[1]) + (parts[2] + parts[3])) +
         ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}

inline Problem rowwise(size_t outputs, const Row<float>& single, const Row<double>& exact) {
  Problem problem;
  problem.inputs = {{kRows, kColumns}};
  problem.output = {kRows, static_cast<int64_t>(outputs)};
  problem.draw.kind = DrawKind::rand;
  problem.sum_length = kColumns;
  problem.exact = [=](const auto& in) { return by_row<double>(in[0], outputs, exact); };
  problem.baseline = [=](const Inputs& in) { return by_row<float>(in[0], outputs, single); };
  return problem;
}

inline Problem problem_of(const std::string& name) {
  if (name == "matmul") return matmul(DrawKind::rand);
  if (name == "matmul_normal") return matmul(DrawKind::randn);
  if (name == "softmax") return rowwise(kColumns, softmax<float>, softmax<double>);
  if (name == "layer_norm") return rowwise(kColumns, layer_norm<float>, layer_norm<double>);
  Problem problem = name == "relu" ? rowwise(kColumns, relu<float>, relu<double>)
                                   : rowwise(1, sum<float>, sum<double>);
  problem.whole = true;
  return problem;
}

using Function = std::function<Floats32(const Inputs&)>;

// What is compared, kept alive beside its round.
struct Window {
  Inputs inputs;
  std::vector<double> exact;
  Floats32 candidate, baseline;

  template <class T>
  static const std::byte* bytes(const std::vector<T>& of) {
    return reinterpret_cast<const std::byte*>(of.data());
  }
};

inline std::vector<std::vector<double>> widened(const Inputs& inputs) {
  std::vector<std::vector<double>> wide;
  for (const Floats32& input : inputs) wide.emplace_back(input.begin(), input.end());
  return wide;
}

inline Inputs draw_inputs(const Problem& problem, Family family) {
  Inputs inputs;
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    TensorSpec spec{Dtype::f32, problem.inputs[i], {}};
    RandomStream earlier(Seed{}, "earlier " + std::to_string(i));
    FamilyFill how;
    how.family = family;
    how.role = i == 0 ? Role::leading : Role::other;
    how.sum_length = problem.sum_length;
    how.earlier = &earlier;
    RandomStream stream(Seed{}, "input " + std::to_string(i));
    const RandomStream own = stream;
    if (family == Family::touched) {  // the last input of `own`
      const bool is_touched = i + 1 == problem.inputs.size();
      how.family = is_touched ? family : Family::own;
      how.earlier = &own;
      if (is_touched) stream = RandomStream(Seed{}, "touched");
    }
    inputs.emplace_back(spec.elements());
    EXPECT_TRUE(fill_family(spec, &problem.draw, how, stream,
                            reinterpret_cast<std::byte*>(inputs.back().data())));
  }
  return inputs;
}

// All but what the candidate makes of it.
inline Window window_of(const Problem& problem, Family family) {
  Window window;
  window.inputs = draw_inputs(problem, family);
  window.exact = problem.exact(widened(window.inputs));
  window.baseline = problem.baseline(window.inputs);
  return window;
}

inline RoundResult judged(const Problem& problem, Window window, const Function& candidate,
                          Family family) {
  window.candidate = candidate(window.inputs);
  Round round;
  round.family = family;
  round.seed = Seed{}.hex();
  round.integers_proven = problem.whole && family == Family::integers;
  OutputFigures output;
  output.shape = problem.output;
  output.values = {Dtype::f32,
                   window.exact.size(),
                   Window::bytes(window.candidate),
                   Window::bytes(window.baseline),
                   Window::bytes(window.exact),
                   Dtype::f64};
  output.figures = compare(output.values);
  round.outputs.push_back(output);
  RoundResult result = judge_round(round, {});
  // As the caller does: look again where inputs that differ by a rounding may do the same.
  if (std::ranges::any_of(result.complaints, &Complaint::sensitivity_may_excuse)) {
    Inputs near = window.inputs;
    for (size_t i = 0; i < near.size(); ++i)
      perturb({Dtype::f32, problem.inputs[i], {}}, RandomStream(Seed{}, "perturb"),
              reinterpret_cast<std::byte*>(near[i].data()));
    auto moved = problem.exact(widened(near));
    SensitivitySums sums(Dtype::f32);
    sums.add(window.exact.data(), moved.data(), moved.size());
    round.outputs[0].sensitivity = sums.sensitivity();
    result = judge_round(round, {});
  }
  return result;
}

struct Prepared {
  Problem problem;
  std::map<Family, Window> windows;
};

inline const Prepared& prepared(const std::string& name) {
  static std::map<std::string, Prepared> all;
  if (auto known = all.find(name); known != all.end()) return known->second;
  Prepared& made = all[name];
  made.problem = problem_of(name);
  for (const auto& [family, word] : kFamilyWords)
    made.windows[family] = window_of(made.problem, family);
  return made;
}

inline Finding verified(const std::string& problem, const Function& candidate) {
  std::vector<RoundResult> rounds;
  const Prepared& ready = prepared(problem);
  for (const auto& [family, window] : ready.windows)
    rounds.push_back(judged(ready.problem, window, candidate, family));
  return decide(rounds, {}, {});
}

}  // namespace assay::small
