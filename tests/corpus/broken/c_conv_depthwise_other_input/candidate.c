#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  const float* weight = call->constants[0].data;
  const float* bias = call->constants[1].data;
  float* out = call->outputs[0].data;
  const int64_t* shape = call->inputs[0].shape;
  const int64_t height = shape[2], width = shape[3];
  const int64_t filters = call->outputs[0].shape[1];
  for (int64_t n = 0; n < shape[0]; ++n) {
    for (int64_t f = 0; f < filters; ++f) {
      const float* plane = x + (n * shape[1] + f % shape[1]) * height * width;
      for (int64_t at = 0; at < height * width; ++at) {
        float sum = bias[f];
        for (int64_t p = 0; p < 25; ++p) {
          const int64_t row = at / width + p / 5 - 2, column = at % width + p % 5 - 2;
          if (row < 0 || row >= height || column < 0 || column >= width) continue;
          sum += plane[row * width + column] * weight[f * 25 + p];
        }
        *out++ = sum;
      }
    }
  }
  return 0;
}
