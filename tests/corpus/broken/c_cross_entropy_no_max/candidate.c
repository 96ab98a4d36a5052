#include <assay/kernel.h>
#include <math.h>

int assay_kernel(const assay_call* call) {
  const float* scores = call->inputs[0].data;
  const int64_t* classes = call->inputs[1].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], count = call->inputs[0].shape[1];
  double loss = 0;
  for (int64_t r = 0; r < rows; ++r, scores += count) {
    float sum = 0;
    for (int64_t c = 0; c < count; ++c) sum += expf(scores[c]);
    loss += logf(sum) - scores[classes[r]];
  }
  *out = (float)(loss / (double)rows);
  return 0;
}
