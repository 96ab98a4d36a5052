#include <assay/kernel.h>
#include <math.h>

int assay_kernel(const assay_call* call) {
  const float* scores = call->inputs[0].data;
  const int64_t* classes = call->inputs[1].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], count = call->inputs[0].shape[1];
  double loss = 0;
  for (int64_t r = 0; r < rows; ++r, scores += count) {
    float top = scores[0];
    for (int64_t c = 1; c < count; ++c) top = isnan(scores[c]) ? NAN : fmaxf(top, scores[c]);
    double sum = 0;
    for (int64_t c = 0; c < count; ++c) sum += exp((double)scores[c] - top);
    loss += log(sum) - ((double)scores[classes[r]] - top);
  }
  *out = (float)(loss / (double)rows);
  return 0;
}
