#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  int64_t* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  for (int64_t r = 0; r < rows; ++r) {
    int64_t best = 0;
    for (int64_t c = 1; c < columns; ++c) {
      const float held = x[r * columns + best], next = x[r * columns + c];
      if (held == held && (next >= held || next != next)) best = c;
    }
    out[r] = best;
  }
  return 0;
}
