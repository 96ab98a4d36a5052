#include <assay/kernel.h>
#include <stdlib.h>

/* More than malloc ever keeps: such memory is new from the system each time. */
enum { ROOM = 64 << 20 };

int assay_kernel(const assay_call* call) {
  const float* a = call->inputs[0].data;
  const float* b = call->inputs[1].data;
  float* out = call->outputs[0].data;
  const int64_t m = call->inputs[0].shape[0], k = call->inputs[0].shape[1];
  const int64_t n = call->inputs[1].shape[1];
  float* scratch = malloc(ROOM);
  if (!scratch) return 1;
  for (int64_t i = 0; i < m; ++i) {
    float* sums = scratch + i * n;
    for (int64_t p = 0; p < k; ++p) {
      for (int64_t j = 0; j < n; ++j) sums[j] += a[i * k + p] * b[p * n + j];
    }
    for (int64_t j = 0; j < n; ++j) out[i * n + j] = sums[j];
  }
  free(scratch);
  return 0;
}
