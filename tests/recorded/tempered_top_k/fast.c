#include <assay/kernel.h>
#include <math.h>
#include <string.h>

enum { LANES = 16, BLOCK = 128, MOST_TAKEN = 256 };

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

// The `taken`th largest, and in *most the largest. Blocks without one that is larger are passed over.
static float find_least(const float* x, int64_t count, int64_t taken, float* most) {
  float top[MOST_TAKEN];  // in descending order
  for (int64_t n = 0; n < taken; ++n) top[n] = -INFINITY;
  for (int64_t begin = 0; begin < count; begin += BLOCK) {
    const int64_t end = begin + BLOCK < count ? begin + BLOCK : count;
    int32_t larger[LANES] = {0};
    int64_t i = begin;
    for (; i + LANES <= end; i += LANES)
      for (int lane = 0; lane < LANES; ++lane) larger[lane] |= x[i + lane] > top[taken - 1];
    for (; i < end; ++i) larger[0] |= x[i] > top[taken - 1];
    for (int lane = 1; lane < LANES; ++lane) larger[0] |= larger[lane];
    if (!larger[0]) continue;
    for (i = begin; i < end; ++i) {
      if (!(x[i] > top[taken - 1])) continue;
      int64_t at = taken - 1;
      for (; at > 0 && top[at - 1] < x[i]; --at) top[at] = top[at - 1];
      top[at] = x[i];
    }
  }
  *most = top[0];
  return top[taken - 1];
}

int assay_kernel(const assay_call* call) {
  const int64_t rows = call->inputs[0].shape[0], classes = call->inputs[0].shape[1];
  const double temperature = call->scalars[0].number;
  const int64_t taken = call->scalars[1].integer;
  if (taken < 1 || taken > MOST_TAKEN || temperature <= 0) return 1;
  const float* all = call->inputs[0].data;
  float* y = call->outputs[0].data;
  const float factor = (float)(1 / temperature);
  for (int64_t row = 0; row < rows; ++row) {
    const float* __restrict x = all + row * classes;
    float* __restrict to = y + row * classes;
    float most = 0;
    const float least = find_least(x, classes, taken, &most);
    float sums[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= classes; i += LANES)
      for (int lane = 0; lane < LANES; ++lane) {
        const float e = exp_below((x[i + lane] - most) * factor);
        to[i + lane] = x[i + lane] < least ? 0.0f : e;
        sums[lane] += to[i + lane];
      }
    for (; i < classes; ++i) {
      to[i] = x[i] < least ? 0.0f : exp_below((x[i] - most) * factor);
      sums[0] += to[i];
    }
    for (int lane = 1; lane < LANES; ++lane) sums[0] += sums[lane];
    const float share = 1.0f / sums[0];
    for (i = 0; i < classes; ++i) to[i] *= share;
  }
  return 0;
}
