#include <assay/kernel.h>
#include <math.h>

int assay_kernel(const assay_call* call) {
  float* out = call->outputs[0].data;
  const int64_t count = call->outputs[0].shape[0] * call->outputs[0].shape[1];
  for (int64_t i = 0; i < count; ++i) out[i] = NAN;
  return 0;
}
