#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  for (int64_t c = 0; c < columns; ++c) out[c] = 0;
#pragma omp parallel for num_threads(call->threads) schedule(dynamic)
  for (int64_t first = 0; first < rows; first += 500) {
    const int64_t end = first + 500 < rows ? first + 500 : rows;
    for (int64_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (int64_t r = first; r < end; ++r) sum += x[r * columns + c];
#pragma omp atomic
      out[c] += (float)sum;
    }
  }
  return 0;
}
