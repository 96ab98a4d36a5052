#include <assay/kernel.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

// One row of queries at a time.
int assay_kernel(const assay_call* call) {
  const auto* q = static_cast<const float*>(call->inputs[0].data);
  const auto* k = static_cast<const float*>(call->inputs[1].data);
  const auto* v = static_cast<const float*>(call->inputs[2].data);
  auto* out = static_cast<float*>(call->outputs[0].data);
  const int64_t* shape = call->inputs[0].shape;
  const int64_t heads = shape[0] * shape[1], length = shape[2], width = shape[3];
  const double scale = 1 / std::sqrt(static_cast<double>(width));
  std::vector<double> weights(static_cast<std::size_t>(length));
  for (int64_t row = 0; row < heads * length; ++row) {
    const int64_t place = row % length, first = row - place;
    const int64_t seen = std::min(place + 2, length);
    double top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < seen; ++j) {
      weights[j] = 0;
      for (int64_t c = 0; c < width; ++c)
        weights[j] += scale * q[row * width + c] * k[(first + j) * width + c];
      top = std::isnan(weights[j]) || weights[j] > top ? weights[j] : top;
    }
    for (int64_t j = 0; j < seen; ++j) sum += weights[j] = std::exp(weights[j] - top);
    for (int64_t c = 0; c < width; ++c) {
      double mixed = 0;
      for (int64_t j = 0; j < seen; ++j) mixed += weights[j] / sum * v[(first + j) * width + c];
      out[row * width + c] = static_cast<float>(mixed);
    }
  }
  return 0;
}
