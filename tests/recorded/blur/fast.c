#include <assay/kernel.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int assay_kernel(const assay_call* call) {
  const int64_t* shape = call->inputs[0].shape;
  const int64_t planes = shape[0] * shape[1], height = shape[2], width = shape[3];
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  const float taps[5] = {1.0f / 16.5f, 4.5f / 16.5f, 6.0f / 16.5f, 4.0f / 16.5f, 1.0f / 16.5f};
  // Rows that are blurred across, with two of zeros on either side: what the pass down reads is in
  // the cache, and nobody asks whether it is inside.
  float* padded = (float*)calloc(width + 4, sizeof(float));
  float* across = (float*)calloc((height + 4) * width, sizeof(float));
  if (!padded || !across) return 1;
  for (int64_t plane = 0; plane < planes; ++plane) {
    for (int64_t row = 0; row < height; ++row) {
      memcpy(padded + 2, x + (plane * height + row) * width, width * sizeof(float));
      float* to = across + (row + 2) * width;
      for (int64_t j = 0; j < width; ++j)
        to[j] = taps[0] * padded[j] + taps[1] * padded[j + 1] + taps[2] * padded[j + 2] +
                taps[3] * padded[j + 3] + taps[4] * padded[j + 4];
    }
    for (int64_t row = 0; row < height; ++row) {
      const float* from = across + row * width;
      float* to = y + (plane * height + row) * width;
      for (int64_t j = 0; j < width; ++j)
        to[j] = taps[0] * from[j] + taps[1] * from[j + width] + taps[2] * from[j + 2 * width] +
                taps[3] * from[j + 3 * width] + taps[4] * from[j + 4 * width];
    }
  }
  free(padded);
  free(across);
  return 0;
}
