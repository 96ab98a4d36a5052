#include <assay/kernel.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace {

using Numbers = std::vector<double>;

const float* constant(const assay_call* call, int number) {
  return static_cast<const float*>(call->constants[number].data);
}

// Of a row: what its mean and deviation make of it, times the weight, plus the bias.
Numbers normed(const Numbers& x, const float* weight, const float* bias) {
  double mean = 0, squares = 0;
  for (const double value : x) mean += value / static_cast<double>(x.size());
  for (const double value : x) squares += (value - mean) * (value - mean);
  const double factor = 1 / std::sqrt(squares / static_cast<double>(x.size() - 1) + 1e-5);
  Numbers y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = (x[i] - mean) * factor * weight[i] + bias[i];
  return y;
}

Numbers linear(const Numbers& x, const float* weight, const float* bias, std::size_t width) {
  Numbers y(bias, bias + width);
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += weight[i * x.size() + j] * x[j];
  return y;
}

// What the last of these places makes of all of them, of one head that begins at `first`.
void attend(const std::vector<Numbers>& qkv, std::size_t first, std::size_t each, Numbers& to) {
  const std::size_t width = to.size();
  const Numbers& query = qkv.back();
  Numbers weights;
  double most = -INFINITY, sum = 0;
  for (const Numbers& place : qkv) {
    double score = 0;
    for (std::size_t c = first; c < first + each; ++c) score += query[c] * place[width + c];
    weights.push_back(score / std::sqrt(static_cast<double>(each)));
    most = weights.back() > most || std::isnan(score) ? weights.back() : most;
  }
  for (double& weight : weights) sum += weight = std::exp(weight - most);
  for (std::size_t j = 0; j < qkv.size(); ++j)
    for (std::size_t c = first; c < first + each; ++c)
      to[c] += weights[j] / sum * qkv[j][2 * width + c];
}

}  // namespace

// One place after the other: its own keys and values join those of the places before it.
int assay_kernel(const assay_call* call) {
  const auto* x = static_cast<const float*>(call->inputs[0].data);
  auto* out = static_cast<float*>(call->outputs[0].data);
  const int64_t* shape = call->inputs[0].shape;
  const auto width = static_cast<std::size_t>(shape[2]);
  const std::size_t each = width / static_cast<std::size_t>(call->scalars[1].integer);
  const auto hidden = static_cast<std::size_t>(call->scalars[2].integer);
  for (int64_t n = 0; n < shape[0]; ++n) {
    std::vector<Numbers> qkv;
    for (int64_t place = 0; place < shape[1]; ++place, x += width, out += width) {
      Numbers row(x, x + width), mixed(width);
      const Numbers calm = normed(row, constant(call, 0), constant(call, 1));
      qkv.push_back(linear(calm, constant(call, 2), constant(call, 3), 3 * width));
      for (std::size_t first = 0; first < width; first += each) attend(qkv, first, each, mixed);
      const Numbers attended = linear(mixed, constant(call, 4), constant(call, 5), width);
      for (std::size_t i = 0; i < width; ++i) row[i] += attended[i];
      Numbers wide = normed(row, constant(call, 6), constant(call, 7));
      wide = linear(wide, constant(call, 8), constant(call, 9), hidden);
      for (double& value : wide) value *= 0.5 * (1 + std::erf(value * std::sqrt(0.5)));
      const Numbers added = linear(wide, constant(call, 10), constant(call, 11), width);
      for (std::size_t i = 0; i < width; ++i) out[i] = static_cast<float>(row[i] + added[i]);
    }
  }
  return 0;
}
