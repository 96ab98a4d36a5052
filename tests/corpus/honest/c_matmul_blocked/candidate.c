#include <assay/kernel.h>
#include <string.h>

enum { BLOCK = 32 };

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }

int assay_kernel(const assay_call* call) {
  const float* a = call->inputs[0].data;
  const float* b = call->inputs[1].data;
  float* out = call->outputs[0].data;
  const int64_t m = call->inputs[0].shape[0], k = call->inputs[0].shape[1];
  const int64_t n = call->inputs[1].shape[1];
  memset(out, 0, (size_t)(m * n) * sizeof(float));
  for (int64_t i0 = 0; i0 < m; i0 += BLOCK) {
    for (int64_t p0 = 0; p0 < k; p0 += BLOCK) {
      for (int64_t i = i0; i < least(i0 + BLOCK, m); ++i) {
        for (int64_t p = p0; p < least(p0 + BLOCK, k); ++p) {
          for (int64_t j = 0; j < n; ++j) out[i * n + j] += a[i * k + p] * b[p * n + j];
        }
      }
    }
  }
  return 0;
}
