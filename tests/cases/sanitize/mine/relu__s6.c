/* Tasks, whose order nobody tells the sanitizer. */
#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  const int64_t count = call->inputs[0].shape[0] * call->inputs[0].shape[1];
#pragma omp parallel
#pragma omp single
  for (int64_t first = 0; first < count; first += 100)
#pragma omp task
    for (int64_t i = first; i < first + 100 && i < count; ++i) y[i] = x[i] < 0 ? 0 : x[i];
  return 0;
}
