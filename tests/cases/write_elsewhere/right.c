#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  int64_t count = 1;
  for (int i = 0; i < call->inputs[0].rank; ++i) count *= call->inputs[0].shape[i];
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] * 3 + 1;
  return 0;
}
