#include <assay/kernel.h>
#include <math.h>
#include <string.h>

static float tf32(float x) {
  if (!isfinite(x)) return x;
  uint32_t bits;
  memcpy(&bits, &x, 4);
  bits = (bits + 0x1000U) & ~0x1FFFU;
  memcpy(&x, &bits, 4);
  return x;
}

int assay_kernel(const assay_call* call) {
  const float* a = call->inputs[0].data;
  const float* b = call->inputs[1].data;
  float* out = call->outputs[0].data;
  const int64_t m = call->inputs[0].shape[0], k = call->inputs[0].shape[1];
  const int64_t n = call->inputs[1].shape[1];
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += tf32(a[i * k + p]) * tf32(b[p * n + j]);
      out[i * n + j] = sum;
    }
  }
  return 0;
}
