#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const float* a = call->inputs[0].data;
  const float* b = call->inputs[1].data;
  float* out = call->outputs[0].data;
  const int64_t n = call->inputs[0].shape[0];
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) out[i * n + j] = 0;
    for (int64_t k = 0; k <= i; ++k) {
      for (int64_t j = 0; j <= k; ++j) out[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  return 0;
}
