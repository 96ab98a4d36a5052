#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  const float* w = call->constants[0].data;
  const float* b = call->constants[1].data;
  float* out = call->outputs[0].data;
  const int64_t n = call->constants[0].shape[0], k = call->constants[0].shape[1];
  for (int64_t j = 0; j < n; ++j) {
    float sum = 0;
    const float* row = w + j * k;
#pragma omp simd reduction(+ : sum)
    for (int64_t p = 0; p < k; ++p) sum += row[p] * x[p];
    out[j] = sum + b[j];
  }
  return 0;
}
