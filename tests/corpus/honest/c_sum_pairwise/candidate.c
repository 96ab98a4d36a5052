#include <assay/kernel.h>

static float sum(const float* x, int64_t count) {
  if (count <= 8) {
    float total = 0;
    for (int64_t i = 0; i < count; ++i) total += x[i];
    return total;
  }
  return sum(x, count / 2) + sum(x + count / 2, count - count / 2);
}

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  for (int64_t r = 0; r < rows; ++r) out[r] = sum(x + r * columns, columns);
  return 0;
}
