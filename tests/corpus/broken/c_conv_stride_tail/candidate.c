#include <assay/kernel.h>

enum { DOWN = 2, RIGHT = 3, PADDING = 1 };

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  const float* weight = call->constants[0].data;
  const float* bias = call->constants[1].data;
  float* out = call->outputs[0].data;
  const int64_t *from = call->inputs[0].shape, *to = call->outputs[0].shape;
  const int64_t *taps = call->constants[0].shape, depth = from[1];
  const int64_t columns = from[3] / RIGHT * RIGHT; /* of whole strides */
  for (int64_t at = 0; at < to[0] * to[1] * to[2] * to[3]; ++at) {
    const int64_t n = at / (to[1] * to[2] * to[3]), f = at / (to[2] * to[3]) % to[1];
    const int64_t top = at / to[3] % to[2] * DOWN - PADDING, left = at % to[3] * RIGHT - PADDING;
    float sum = bias[f];
    for (int64_t d = 0; d < depth; ++d) {
      const float* plane = x + (n * depth + d) * from[2] * from[3];
      const float* factors = weight + (f * depth + d) * taps[2] * taps[3];
      for (int64_t p = 0; p < taps[2]; ++p) {
        for (int64_t q = 0; q < taps[3]; ++q) {
          const int64_t row = top + p, column = left + q;
          if (row < 0 || row >= from[2] || column < 0 || column >= columns) continue;
          sum += plane[row * from[3] + column] * factors[p * taps[3] + q];
        }
      }
    }
    out[at] = sum;
  }
  return 0;
}
