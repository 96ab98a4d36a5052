#include <assay/kernel.h>

namespace {
constexpr int64_t kDilation[2] = {3, 2};  // of columns, of rows: not in the problem's order
}

int assay_kernel(const assay_call* call) {
  const auto* x = static_cast<const float*>(call->inputs[0].data);
  const auto* weight = static_cast<const float*>(call->constants[0].data);
  const auto* bias = static_cast<const float*>(call->constants[1].data);
  auto* out = static_cast<float*>(call->outputs[0].data);
  const int64_t* shape = call->inputs[0].shape;
  const int64_t depth = shape[1], height = shape[2], width = shape[3];
  const int64_t filters = call->outputs[0].shape[1];
  for (int64_t n = 0; n < shape[0]; ++n) {
    for (int64_t f = 0; f < filters; ++f) {
      for (int64_t at = 0; at < height * width; ++at) {
        float sum = bias[f];
        for (int64_t d = 0; d < depth; ++d) {
          const float* plane = x + (n * depth + d) * height * width;
          for (int64_t p = 0; p < 9; ++p) {
            const int64_t row = at / width + (p / 3 - 1) * kDilation[0];
            const int64_t column = at % width + (p % 3 - 1) * kDilation[1];
            if (row < 0 || row >= height || column < 0 || column >= width) continue;
            sum += plane[row * width + column] * weight[(f * depth + d) * 9 + p];
          }
        }
        *out++ = sum;
      }
    }
  }
  return 0;
}
