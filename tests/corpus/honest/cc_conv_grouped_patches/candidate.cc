#include <assay/kernel.h>

#include <cstddef>
#include <vector>

namespace {
constexpr int64_t kGroups = 3;
}

// The patches of one group as a matrix, times its weights.
int assay_kernel(const assay_call* call) {
  const auto* x = static_cast<const float*>(call->inputs[0].data);
  const auto* weight = static_cast<const float*>(call->constants[0].data);
  const auto* bias = static_cast<const float*>(call->constants[1].data);
  auto* out = static_cast<float*>(call->outputs[0].data);
  const int64_t* shape = call->inputs[0].shape;
  const int64_t height = shape[2], width = shape[3], size = height * width;
  const int64_t filters = call->outputs[0].shape[1], taps = call->constants[0].shape[1] * 9;
  std::vector<float> patches(static_cast<std::size_t>(taps * size));
  for (int64_t task = 0; task < shape[0] * kGroups; ++task) {
    const float* images = x + task * taps / 9 * size;
    for (int64_t at = 0; at < taps * size; ++at) {
      const int64_t tap = at / size;
      const int64_t row = at % size / width + tap % 9 / 3 - 1, column = at % width + tap % 3 - 1;
      const bool inside = row >= 0 && row < height && column >= 0 && column < width;
      patches[at] = inside ? images[tap / 9 * size + row * width + column] : 0;
    }
    const int64_t first = task % kGroups * (filters / kGroups);
    for (int64_t f = first; f < first + filters / kGroups; ++f) {
      for (int64_t at = 0; at < size; ++at) {
        double sum = bias[f];
        for (int64_t tap = 0; tap < taps; ++tap)
          sum += double{weight[f * taps + tap]} * patches[tap * size + at];
        *out++ = static_cast<float>(sum);
      }
    }
  }
  return 0;
}
