#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const assay_tensor a = call->inputs[0], b = call->inputs[1];
  const float *x = a.data, *y = b.data;
  float* out = call->outputs[0].data;
  for (int64_t i = 0; i < a.shape[0]; ++i) {
    for (int64_t j = 0; j < b.shape[1]; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < a.shape[1]; ++p) {
        sum += x[i * a.strides[0] + p * a.strides[1]] * y[p * b.strides[0] + j * b.strides[1]];
      }
      out[i * b.shape[1] + j] = sum;
    }
  }
  return 0;
}
