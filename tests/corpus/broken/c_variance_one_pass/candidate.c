#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0, squares = 0;
    for (int64_t c = 0; c < columns; ++c) {
      sum += x[r * columns + c];
      squares += x[r * columns + c] * x[r * columns + c];
    }
    const float mean = sum / (float)columns;
    out[r] = squares / (float)columns - mean * mean;
  }
  return 0;
}
