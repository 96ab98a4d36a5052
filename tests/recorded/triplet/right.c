#include <assay/kernel.h>
#include <math.h>

// The hypotenuse of all so far, and of the next one.
static double distance(const float* a, const float* b, int64_t count) {
  double length = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double from = (double)a[i] - b[i] + 1e-6;
    length = sqrt(length * length + from * from);
  }
  return length;
}

int assay_kernel(const assay_call* call) {
  const int64_t rows = call->inputs[0].shape[0], width = call->inputs[0].shape[1];
  const double margin = call->scalars[0].number;
  const float* anchor = call->inputs[0].data;
  const float* near = call->inputs[1].data;
  const float* far = call->inputs[2].data;
  float* losses = call->outputs[0].data;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t at = row * width;
    const double loss = margin + distance(anchor + at, near + at, width) -
                             distance(anchor + at, far + at, width);
    losses[row] = loss < 0 ? 0 : (float)loss;
  }
  return 0;
}
