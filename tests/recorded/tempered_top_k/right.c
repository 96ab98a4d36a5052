#include <assay/kernel.h>
#include <math.h>

int assay_kernel(const assay_call* call) {
  const int64_t rows = call->inputs[0].shape[0], classes = call->inputs[0].shape[1];
  const double temperature = call->scalars[0].number;
  const int64_t taken = call->scalars[1].integer;
  const float* all = call->inputs[0].data;
  float* y = call->outputs[0].data;
  for (int64_t row = 0; row < rows; ++row) {
    const float* x = all + row * classes;
    // The next smaller one, until there are enough.
    float most = NAN, least = INFINITY;
    int64_t found = 0;
    for (int is_first = 1; found < taken; is_first = 0) {
      float next = -INFINITY;
      int64_t of_it = 0;
      for (int64_t i = 0; i < classes; ++i) {
        if (is_first ? isnan(x[i]) : !(x[i] < least)) continue;
        if (x[i] > next) {
          next = x[i];
          of_it = 0;
        }
        if (x[i] == next) ++of_it;
      }
      if (is_first) most = next;
      least = next;
      found += of_it;
      if (of_it == 0) break;
    }
    double sum = 0;
    for (int64_t i = 0; i < classes; ++i)
      if (!(x[i] < least)) sum += exp(((double)x[i] - most) / temperature);
    for (int64_t i = 0; i < classes; ++i) {
      const double e = x[i] < least ? 0 : exp(((double)x[i] - most) / temperature);
      y[row * classes + i] = (float)(e / sum);
    }
  }
  return 0;
}
