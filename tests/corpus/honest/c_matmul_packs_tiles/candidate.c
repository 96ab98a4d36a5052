#include <assay/kernel.h>
#include <stdlib.h>

enum { WIDTH = 16 };

int assay_kernel(const assay_call* call) {
  const float* a = call->inputs[0].data;
  const float* b = call->inputs[1].data;
  float* out = call->outputs[0].data;
  const int64_t m = call->inputs[0].shape[0], k = call->inputs[0].shape[1];
  const int64_t n = call->inputs[1].shape[1];
  float* tile = malloc((size_t)k * WIDTH * sizeof(float));
  if (!tile) return 1;
  for (int64_t j0 = 0; j0 < n; j0 += WIDTH) {
    for (int64_t p = 0; p < k; ++p) {
      for (int64_t j = 0; j < WIDTH; ++j) {
        tile[p * WIDTH + j] = j0 + j < n ? b[p * n + j0 + j] : 0;
      }
    }
    for (int64_t i = 0; i < m; ++i) {
      float sums[WIDTH] = {0};
      for (int64_t p = 0; p < k; ++p) {
        for (int64_t j = 0; j < WIDTH; ++j) sums[j] += a[i * k + p] * tile[p * WIDTH + j];
      }
      for (int64_t j = 0; j < WIDTH && j0 + j < n; ++j) out[i * n + j0 + j] = sums[j];
    }
  }
  free(tile);
  return 0;
}
