#include <assay/kernel.h>

#include <cmath>
#include <vector>

namespace {

constexpr int64_t kStep = 4;

// Adds what `kStep` hidden numbers give to a row.
void add(const float* gate, const float* up, const float* down, const std::vector<float>& x,
         int64_t hidden, std::vector<double>& to) {
  const auto width = static_cast<int64_t>(x.size());
  for (int64_t j = 0; j < kStep; ++j) {
    double open = 0, wide = 0;
    for (int64_t i = 0; i < width; ++i) {
      open += double{x[i]} * gate[j * width + i];
      wide += double{x[i]} * up[j * width + i];
    }
    wide *= open / (1 + std::exp(-open));
    for (int64_t i = 0; i < width; ++i) to[i] += wide * down[i * hidden + j];
  }
}

}  // namespace

int assay_kernel(const assay_call* call) {
  const auto* x = static_cast<const float*>(call->inputs[0].data);
  const auto* scale = static_cast<const float*>(call->constants[0].data);
  const auto* gate = static_cast<const float*>(call->constants[1].data);
  const auto* up = static_cast<const float*>(call->constants[2].data);
  const auto* down = static_cast<const float*>(call->constants[3].data);
  auto* out = static_cast<float*>(call->outputs[0].data);
  const int64_t rows = call->inputs[0].shape[0], width = call->inputs[0].shape[1];
  const int64_t hidden = call->constants[1].shape[0];
  for (int64_t r = 0; r < rows; ++r, x += width, out += width) {
    double squares = 0;
    for (int64_t i = 0; i < width; ++i) squares += double{x[i]} * x[i];
    const double factor = 1 / std::sqrt(squares / static_cast<double>(width) + 1e-4);
    std::vector<float> normed;
    for (int64_t i = 0; i < width; ++i)
      normed.push_back(static_cast<float>(x[i] * factor * scale[i]));
    std::vector<double> sums(x, x + width);
    for (int64_t j = 0; j + kStep <= hidden; j += kStep)
      add(gate + j * width, up + j * width, down + j, normed, hidden, sums);
    for (int64_t i = 0; i < width; ++i) out[i] = static_cast<float>(sums[i]);
  }
  return 0;
}
