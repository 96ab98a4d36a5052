#include <assay/kernel.h>

enum { LANES = 8 };

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  for (int64_t r = 0; r < rows; ++r) {
    double means[LANES] = {0}, squares[LANES] = {0}, counts[LANES] = {0};
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t lane = c % LANES;
      const double value = x[r * columns + c], delta = value - means[lane];
      counts[lane] += 1;
      means[lane] += delta / counts[lane];
      squares[lane] += delta * (value - means[lane]);
    }
    double mean = means[0], square = squares[0], count = counts[0];
    for (int lane = 1; lane < LANES && counts[lane] > 0; ++lane) {
      const double delta = means[lane] - mean, both = count + counts[lane];
      mean += delta * counts[lane] / both;
      square += squares[lane] + delta * delta * count * counts[lane] / both;
      count = both;
    }
    out[r] = (float)(square / count);
  }
  return 0;
}
