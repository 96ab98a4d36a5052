#include <assay/kernel.h>
#include <math.h>

int assay_kernel(const assay_call* call) {
  const int64_t rows = call->inputs[0].shape[0];
  const int64_t first = call->inputs[0].shape[1], second = call->inputs[1].shape[1];
  const float* a = call->inputs[0].data;
  const float* b = call->inputs[1].data;
  const float* scale = call->inputs[2].data;
  const float* shift = call->inputs[3].data;
  float* moved = call->outputs[0].data;
  float* least = call->outputs[1].data;
  float* greatest = call->outputs[2].data;
  const int64_t width = first + second;
  for (int64_t row = 0; row < rows; ++row) {
    long double low = INFINITY, high = -INFINITY;
    // One result after the other, each in a pass of its own.
    for (int pass = 0; pass < 3; ++pass)
      for (int64_t i = 0; i < width; ++i) {
        const int64_t j = i < first ? i : i - first;
        const long double x = i < first ? a[row * first + j] : b[row * second + j];
        const long double value = x * scale[i] + shift[i];
        if (pass == 0) moved[row * width + i] = (float)value;
        // NaN is passed on, so it is not fminl().
        if (pass == 1) low = isnan(value) || isnan(low) ? NAN : value < low ? value : low;
        if (pass == 2) high = isnan(value) || isnan(high) ? NAN : value > high ? value : high;
      }
    least[row] = (float)low;
    greatest[row] = (float)high;
  }
  return 0;
}
