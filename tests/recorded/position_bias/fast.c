#include <assay/kernel.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16 };

// exp(x) of what is not above 0, as the compiler makes vectors of it: 2^n times a polynomial.
static inline float exp_below(float x) {
  x = x < -104.0f ? -104.0f : x;
  const float n = (x * 1.44269504f + 12582912.0f) - 12582912.0f;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  // In two steps: results may be subnormal.
  const int32_t half = (int32_t)n >> 1;
  const int32_t bits = (half + 127) << 23, other_bits = ((int32_t)n - half + 127) << 23;
  float scale, other_scale;
  memcpy(&scale, &bits, sizeof scale);
  memcpy(&other_scale, &other_bits, sizeof other_scale);
  return p * scale * other_scale;
}

static void softmax(float* values, int64_t count) {
  float high[LANES];
  for (int lane = 0; lane < LANES; ++lane) high[lane] = -INFINITY;
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (int lane = 0; lane < LANES; ++lane)
      high[lane] = values[i + lane] > high[lane] ? values[i + lane] : high[lane];
  for (; i < count; ++i) high[0] = values[i] > high[0] ? values[i] : high[0];
  for (int lane = 1; lane < LANES; ++lane) high[0] = high[lane] > high[0] ? high[lane] : high[0];
  float sums[LANES] = {0};
  for (i = 0; i + LANES <= count; i += LANES)
    for (int lane = 0; lane < LANES; ++lane) {
      values[i + lane] = exp_below(values[i + lane] - high[0]);
      sums[lane] += values[i + lane];
    }
  for (; i < count; ++i) {
    values[i] = exp_below(values[i] - high[0]);
    sums[0] += values[i];
  }
  for (int lane = 1; lane < LANES; ++lane) sums[0] += sums[lane];
  const float share = 1.0f / sums[0];
  for (i = 0; i < count; ++i) values[i] *= share;
}

int assay_kernel(const assay_call* call) {
  const int64_t batch = call->inputs[0].shape[0], heads = call->inputs[0].shape[1];
  const int64_t window = call->scalars[1].integer, places = window * window;
  const int64_t span = 2 * window - 1, plane = places * places;
  const float* scores = call->inputs[0].data;
  const float* table = call->constants[0].data;
  float* y = call->outputs[0].data;
  float* bias = (float*)malloc(plane * sizeof(float));
  if (!bias) return 1;
  for (int64_t head = 0; head < heads; ++head) {
    // Looked up once for all images.
    for (int64_t i = 0; i < places; ++i)
      for (int64_t j = 0; j < places; ++j) {
        const int64_t down = i / window - j / window + window - 1;
        const int64_t across = i % window - j % window + window - 1;
        bias[i * places + j] = table[(down * span + across) * heads + head];
      }
    for (int64_t image = 0; image < batch; ++image)
      for (int64_t i = 0; i < places; ++i) {
        const float* __restrict from = scores + (image * heads + head) * plane + i * places;
        float* __restrict to = y + (image * heads + head) * plane + i * places;
        for (int64_t j = 0; j < places; ++j) to[j] = from[j] + bias[i * places + j];
        softmax(to, places);
      }
  }
  free(bias);
  return 0;
}
