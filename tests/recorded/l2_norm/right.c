#include <assay/kernel.h>
#include <math.h>

int assay_kernel(const assay_call* call) {
  const int64_t rows = call->inputs[0].shape[0], width = call->inputs[0].shape[1];
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  for (int64_t row = 0; row < rows; ++row) {
    // The hypotenuse of all so far, and of the next one.
    double length = 0;
    for (int64_t i = 0; i < width; ++i) {
      const double next = x[row * width + i];
      length = sqrt(length * length + next * next);
    }
    for (int64_t i = 0; i < width; ++i) {
      const double divisor = length < 1e-12 ? 1e-12 : length;
      y[row * width + i] = (float)(x[row * width + i] / divisor);
    }
  }
  return 0;
}
