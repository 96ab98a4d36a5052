#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* weight = call->constants[0].data;
  const float* bias = call->constants[1].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], depth = call->inputs[0].shape[1];
  const int64_t columns = call->outputs[0].shape[1];
  volatile float factor = 1;
  for (int64_t i = 0; i < columns * depth; ++i) weight[i] *= factor;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      float sum = bias[c];
      for (int64_t k = 0; k < depth; ++k) sum += x[r * depth + k] * weight[c * depth + k];
      out[r * columns + c] = sum < 0 ? 0 : sum;
    }
  }
  return 0;
}
