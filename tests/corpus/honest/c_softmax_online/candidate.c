#include <assay/kernel.h>
#include <math.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = x + r * columns;
    float top = -INFINITY;
    double sum = 0;
    for (int64_t c = 0; c < columns; ++c) {
      if (row[c] > top) {
        sum *= expf(top - row[c]);
        top = row[c];
      }
      /* Minus infinity adds nothing, also when it comes first. */
      if (row[c] != -INFINITY) sum += expf(row[c] - top);
    }
    for (int64_t c = 0; c < columns; ++c) out[r * columns + c] = expf(row[c] - top) / (float)sum;
  }
  return 0;
}
