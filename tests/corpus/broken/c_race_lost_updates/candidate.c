#include <assay/kernel.h>

enum { COLUMNS = 32 };

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  if (columns != COLUMNS) return 1;
  for (int64_t c = 0; c < COLUMNS; ++c) out[c] = 0;
#pragma omp parallel num_threads(call->threads)
  {
    float sums[COLUMNS];
    for (int64_t c = 0; c < COLUMNS; ++c) sums[c] = out[c];
#pragma omp barrier
#pragma omp for
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < COLUMNS; ++c) sums[c] += x[r * COLUMNS + c];
    }
    // The last one wins.
    for (int64_t c = 0; c < COLUMNS; ++c) out[c] = sums[c];
  }
  return 0;
}
