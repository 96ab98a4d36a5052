#include <assay/kernel.h>
#include <math.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  for (int64_t i = 0; i < rows; ++i) {
    const double exponent = -9 + 9.0 * (double)i / (double)(rows - 1);
    const float scale = exponent < -7.2 ? 0 : (float)pow(10, exponent);
    for (int64_t j = 0; j < columns; ++j) out[i * columns + j] = scale * x[i * columns + j];
  }
  return 0;
}
