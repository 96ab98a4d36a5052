#include <assay/kernel.h>
#include <math.h>

enum { AT_ONCE = 8 };

int assay_kernel(const assay_call* call) {
  const int64_t rows = call->inputs[0].shape[0], length = call->inputs[0].shape[1];
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  int64_t row = 0;
  // A product waits for the one before: so several rows at once, which do not wait for each other.
  for (; row + AT_ONCE <= rows; row += AT_ONCE) {
    const float* from = x + row * length;
    float* to = y + row * length;
    double product[AT_ONCE];
    for (int n = 0; n < AT_ONCE; ++n) product[n] = 1;
    for (int64_t i = 0; i < length; ++i)
      for (int n = 0; n < AT_ONCE; ++n) {
        product[n] *= from[n * length + i];
        to[n * length + i] = (float)product[n];
      }
  }
  for (; row < rows; ++row) {
    double product = 1;
    for (int64_t i = 0; i < length; ++i) {
      product *= x[row * length + i];
      y[row * length + i] = (float)product;
    }
  }
  return 0;
}
