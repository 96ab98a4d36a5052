#include <assay/kernel.h>

#include <algorithm>

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
      for (int64_t i = 0; i < height; ++i) {
        for (int64_t j = 0; j < width; ++j) {
          float sum = bias[f];
          for (int64_t d = 0; d < depth; ++d) {
            for (int64_t p = 0; p < 9; ++p) {
              const int64_t row = std::clamp<int64_t>(i + p / 3 - 1, 0, height - 1);
              const int64_t column = std::clamp<int64_t>(j + p % 3 - 1, 0, width - 1);
              sum += x[((n * depth + d) * height + row) * width + column] *
                     weight[(f * depth + d) * 9 + p];
            }
          }
          out[((n * filters + f) * height + i) * width + j] = sum;
        }
      }
    }
  }
  return 0;
}
