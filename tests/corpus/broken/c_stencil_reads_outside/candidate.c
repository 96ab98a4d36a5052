#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const float* at = x + r * columns + c;
      const float left = (float)(c > 0), right = (float)(c + 1 < columns);
      out[r * columns + c] = (left * at[-1] + at[0] + right * at[1]) / 3;
    }
  }
  return 0;
}
