#include <assay/kernel.h>
#include <math.h>
#include <string.h>

static int64_t place_of(float x, int64_t bins) {
  const float inside = fminf(fmaxf(x, 0.0f), 1.0f);
  return (int64_t)truncf(inside * (float)(bins - 1));
}

int assay_kernel(const assay_call* call) {
  const int64_t rows = call->inputs[0].shape[0], length = call->inputs[0].shape[1];
  const int64_t bins = call->scalars[0].integer;
  const float* all = call->inputs[0].data;
  float* ranks = call->outputs[0].data;
  int64_t* all_counts = call->outputs[1].data;
  for (int64_t row = 0; row < rows; ++row) {
    const float* x = all + row * length;
    int64_t* counts = all_counts + row * bins;
    memset(counts, 0, bins * sizeof(int64_t));
    for (int64_t i = 0; i < length; ++i) ++counts[place_of(x[i], bins)];
    for (int64_t i = 0; i < length; ++i) {
      // All that lie below.
      int64_t below = 0;
      for (int64_t bin = 0; bin <= place_of(x[i], bins); ++bin) below += counts[bin];
      ranks[row * length + i] = (float)below / (float)length;
    }
  }
  return 0;
}
