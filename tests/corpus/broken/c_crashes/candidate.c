#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const volatile float* x = call->inputs[0].data;
  float* out = call->outputs[0].data;
  out[0] = x[(int64_t)1 << 45];
  return 0;
}
