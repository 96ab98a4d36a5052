#include <assay/kernel.h>

enum { LANES = 8 };

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* out = call->outputs[0].data;
  const int64_t count = call->inputs[0].shape[0] * call->inputs[0].shape[1];
  int64_t i = 0;
  for (; i + LANES < count; i += LANES)
    for (int64_t lane = i; lane < i + LANES; ++lane) out[lane] = x[lane] > 0 ? x[lane] : 0;
  for (; i < count; ++i) out[i] = x[i] < 0 ? 0 : x[i];
  return 0;
}
