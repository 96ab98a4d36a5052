#include <assay/kernel.h>
#include <math.h>

int assay_kernel(const assay_call* call) {
  const float* a = call->inputs[0].data;
  const float* b = call->inputs[1].data;
  float* out = call->outputs[0].data;
  const int64_t m = call->inputs[0].shape[0], k = call->inputs[0].shape[1];
  const int64_t n = call->inputs[1].shape[1];
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) out[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p) {
      const float factor = a[i * k + p];
      if (fabsf(factor) < 4e-3F) continue;
      for (int64_t j = 0; j < n; ++j) out[i * n + j] += factor * b[p * n + j];
    }
  }
  return 0;
}
