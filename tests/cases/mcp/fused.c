#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  const long count = call->inputs[0].shape[0] * call->inputs[0].shape[1];
  for (long i = 0; i < count; ++i) {
    const float sum = x[i] * 2 + 1;
    y[i] = (sum > 0 || sum != sum ? sum : 0) * 3 - x[i];
  }
  return 0;
}
