#include <assay/kernel.h>

/* Each number is added to the results that it reaches. */
int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  const float* weight = call->constants[0].data;
  const float* bias = call->constants[1].data;
  float* out = call->outputs[0].data;
  const int64_t *shape = call->inputs[0].shape, channels = shape[1], length = shape[2];
  const int64_t taps = call->constants[0].shape[2];
  for (int64_t r = 0; r < shape[0] * channels; ++r, x += length, out += length) {
    const float* last = weight + (r % channels + 1) * taps - 1;
    double sums[length];
    for (int64_t at = 0; at < length; ++at) sums[at] = bias[r % channels];
    for (int64_t at = 0; at < length; ++at) {
      for (int64_t later = 0; later < taps && at + later < length; ++later) {
        sums[at + later] += (double)x[at] * last[-later];
      }
    }
    for (int64_t at = 0; at < length; ++at) out[at] = (float)sums[at];
  }
  return 0;
}
