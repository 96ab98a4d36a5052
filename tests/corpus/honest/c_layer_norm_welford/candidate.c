#include <assay/kernel.h>
#include <math.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  const float* weight = call->constants[0].data;
  const float* bias = call->constants[1].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], width = call->inputs[0].shape[1];
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = x + r * width;
    double mean = 0, squares = 0;
    for (int64_t c = 0; c < width; ++c) {
      const double delta = row[c] - mean;
      mean += delta / (double)(c + 1);
      squares += delta * (row[c] - mean);
    }
    const double scale = 1 / sqrt(squares / (double)width + 1e-5);
    for (int64_t c = 0; c < width; ++c) {
      out[r * width + c] = (float)((row[c] - mean) * scale) * weight[c] + bias[c];
    }
  }
  return 0;
}
