#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  const int64_t* lengths = call->inputs[1].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  for (int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < lengths[i] && j < columns; ++j) sum += x[i * columns + j];
    out[i] = (float)sum;
  }
  return 0;
}
