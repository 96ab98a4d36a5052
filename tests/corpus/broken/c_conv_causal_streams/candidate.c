#include <assay/kernel.h>
#include <stdlib.h>

/* What came before: the end of the last call's inputs, as a stream is convolved in pieces. */
static float* before;

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  const float* weight = call->constants[0].data;
  const float* bias = call->constants[1].data;
  float* out = call->outputs[0].data;
  const int64_t *shape = call->inputs[0].shape, channels = shape[1], length = shape[2];
  const int64_t taps = call->constants[0].shape[2], rows = shape[0] * channels;
  if (!before) before = calloc((size_t)(rows * (taps - 1)), sizeof(float));
  if (!before) return 1;
  for (int64_t r = 0; r < rows; ++r, x += length, out += length) {
    float* past = before + r * (taps - 1);
    for (int64_t at = 0; at < length; ++at) {
      double sum = bias[r % channels];
      for (int64_t p = 0; p < taps; ++p) {
        const int64_t place = at + p - (taps - 1);
        sum += (double)weight[r % channels * taps + p] *
               (place < 0 ? past[place + taps - 1] : x[place]);
      }
      out[at] = (float)sum;
    }
    for (int64_t p = 0; p < taps - 1; ++p) past[p] = x[length - taps + 1 + p];
  }
  return 0;
}
