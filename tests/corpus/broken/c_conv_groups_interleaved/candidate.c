#include <assay/kernel.h>

enum { GROUPS = 3 };

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  const float* weight = call->constants[0].data;
  const float* bias = call->constants[1].data;
  float* out = call->outputs[0].data;
  const int64_t* shape = call->inputs[0].shape;
  const int64_t height = shape[2], width = shape[3], each = shape[1] / GROUPS;
  const int64_t filters = call->outputs[0].shape[1];
  for (int64_t n = 0; n < shape[0]; ++n) {
    for (int64_t f = 0; f < filters; ++f) {
      const int64_t group = f / (filters / GROUPS);
      for (int64_t at = 0; at < height * width; ++at) {
        float sum = bias[f];
        for (int64_t d = 0; d < each; ++d) {
          const float* plane = x + (n * shape[1] + d * GROUPS + group) * height * width;
          for (int64_t p = 0; p < 9; ++p) {
            const int64_t row = at / width + p / 3 - 1, column = at % width + p % 3 - 1;
            if (row < 0 || row >= height || column < 0 || column >= width) continue;
            sum += plane[row * width + column] * weight[(f * each + d) * 9 + p];
          }
        }
        *out++ = sum;
      }
    }
  }
  return 0;
}
