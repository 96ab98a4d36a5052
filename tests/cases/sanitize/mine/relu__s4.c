/* Two threads write the same, and nobody reads it. */
#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  const int64_t count = call->inputs[0].shape[0] * call->inputs[0].shape[1];
  static volatile float last;
#pragma omp parallel for
  for (int64_t i = 0; i < count; ++i) {
    y[i] = x[i] < 0 ? 0 : x[i];
    last = y[i];
  }
  return 0;
}
