#include <assay/kernel.h>

#include <cmath>
#include <vector>

// One row of queries at a time, over the keys up to its own place.
extern "C" int assay_kernel(const assay_call* call) {
  const auto* q = static_cast<const float*>(call->inputs[0].data);
  const auto* k = static_cast<const float*>(call->inputs[1].data);
  const auto* v = static_cast<const float*>(call->inputs[2].data);
  auto* out = static_cast<float*>(call->outputs[0].data);
  const int64_t* shape = call->inputs[0].shape;
  const int64_t heads = shape[0] * shape[1], length = shape[2], width = shape[3];
  const float scale = 1 / std::sqrt(static_cast<float>(width));
  std::vector<float> weights(static_cast<size_t>(length));
  for (int64_t row = 0; row < heads * length; ++row) {
    const int64_t place = row % length, first = row - place;
    float top = -INFINITY, sum = 0;
    for (int64_t j = 0; j <= place; ++j) {
      float score = 0;
      for (int64_t d = 0; d < width; ++d) score += q[row * width + d] * k[(first + j) * width + d];
      weights[j] = score * scale;
      top = std::isnan(weights[j]) || weights[j] > top ? weights[j] : top;
    }
    for (int64_t j = 0; j <= place; ++j) sum += weights[j] = std::exp(weights[j] - top);
    for (int64_t d = 0; d < width; ++d) {
      float total = 0;
      for (int64_t j = 0; j <= place; ++j) total += weights[j] / sum * v[(first + j) * width + d];
      out[row * width + d] = total;
    }
  }
  return 0;
}
