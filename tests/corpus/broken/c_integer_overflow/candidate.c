#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const int32_t* x = call->inputs[0].data;
  int64_t* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  for (int64_t r = 0; r < rows; ++r) {
    uint32_t sum = 0;
    for (int64_t c = 0; c < columns; ++c) sum += (uint32_t)x[r * columns + c];
    out[r] = (int32_t)sum;
  }
  return 0;
}
