/* Nothing is wrong with it: a region with a loop, a sum, a critical section and a barrier. */
#include <assay/kernel.h>
#include <stdlib.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  const int64_t count = call->inputs[0].shape[0] * call->inputs[0].shape[1];
  float* copy = malloc((size_t)count * sizeof(float));
  int64_t negative = 0, listed = 0;
#pragma omp parallel for reduction(+ : negative)
  for (int64_t i = 0; i < count; ++i) {
    copy[i] = x[i] < 0 ? 0 : x[i];
    negative += x[i] < 0;
  }
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 100)
    for (int64_t i = 0; i < count; ++i) y[i] = copy[count - 1 - i];
#pragma omp critical
    listed += 1;
#pragma omp barrier
#pragma omp for
    for (int64_t i = 0; i < count; ++i) y[i] = copy[i];
  }
  free(copy);
  return negative <= count && listed > 0 ? 0 : 1;
}
