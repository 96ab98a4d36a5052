#include <assay/kernel.h>
#include <math.h>

int assay_kernel(const assay_call* call) {
  const int64_t *in = call->inputs[0].shape, *out = call->outputs[0].shape;
  const int64_t planes = in[0] * in[1];
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  for (int64_t plane = 0; plane < planes; ++plane)
    for (int64_t row = 0; row < out[2]; ++row)
      for (int64_t column = 0; column < out[3]; ++column) {
        const double down = fmax((row + 0.5) * in[2] / out[2] - 0.5, 0.0);
        const double across = fmax((column + 0.5) * in[3] / out[3] - 0.5, 0.0);
        const int64_t i = (int64_t)floor(down), j = (int64_t)floor(across);
        const int64_t below = i + 1 < in[2] ? in[3] : 0, right = j + 1 < in[3] ? 1 : 0;
        const double v = down - i, h = across - j;
        const float* at = x + (plane * in[2] + i) * in[3] + j;
        y[(plane * out[2] + row) * out[3] + column] =
            (float)((1 - v) * ((1 - h) * at[0] + h * at[right]) +
                    v * ((1 - h) * at[below] + h * at[below + right]));
      }
  return 0;
}
