#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float *least = call->outputs[0].data, *largest = call->outputs[1].data;
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  for (int64_t r = 0; r < rows; ++r) {
    float low = x[r * columns], high = low;
    for (int64_t c = 1; c < columns; ++c) {
      const float value = x[r * columns + c];
      if (value != value || value < low) low = value;
      if (value != value || value > high) high = value;
      if (value != value) break;
    }
    least[r] = low;
    largest[r] = high;
  }
  return 0;
}
