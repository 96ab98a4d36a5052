#include <assay/kernel.h>
#include <math.h>
#include <float.h>
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

// Of the first `count` values, which are to be finite. Returns whether they are.
static int softmax(float* values, int64_t count) {
  float high[LANES];
  int32_t has_nan[LANES] = {0};
  for (int lane = 0; lane < LANES; ++lane) high[lane] = -INFINITY;
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (int lane = 0; lane < LANES; ++lane) {
      const float value = values[i + lane];
      high[lane] = value > high[lane] ? value : high[lane];
      has_nan[lane] |= value != value;
    }
  for (; i < count; ++i) {
    high[0] = values[i] > high[0] ? values[i] : high[0];
    has_nan[0] |= values[i] != values[i];
  }
  for (int lane = 1; lane < LANES; ++lane) {
    high[0] = high[lane] > high[0] ? high[lane] : high[0];
    has_nan[0] |= has_nan[lane];
  }
  const float most = high[0];
  float sums[LANES] = {0};
  for (i = 0; i + LANES <= count; i += LANES)
    for (int lane = 0; lane < LANES; ++lane) {
      values[i + lane] = exp_below(values[i + lane] - most);
      sums[lane] += values[i + lane];
    }
  for (; i < count; ++i) {
    values[i] = exp_below(values[i] - most);
    sums[0] += values[i];
  }
  for (int lane = 1; lane < LANES; ++lane) sums[0] += sums[lane];
  const float share = 1.0f / sums[0];
  for (i = 0; i < count; ++i) values[i] *= share;
  // What is hidden counts as much as nothing, where something is far above the least number.
  return !has_nan[0] && most > -1e38f && most < INFINITY;
}

int assay_kernel(const assay_call* call) {
  const int64_t* shape = call->inputs[0].shape;
  const int64_t batch = shape[0], heads = shape[1], tokens = shape[2];
  const float* scores = call->inputs[0].data;
  const unsigned char* present = call->inputs[1].data;
  float* y = call->outputs[0].data;
  for (int64_t row = 0; row < batch * heads * tokens; ++row) {
    const int64_t query = row % tokens;
    const unsigned char* seen = present + row / tokens / heads * tokens;
    const float* __restrict from = scores + row * tokens;
    float* __restrict to = y + row * tokens;
    // Half of all is behind the query, and zero.
    for (int64_t key = 0; key < query; ++key) to[key] = seen[key] ? from[key] : -FLT_MAX;
    to[query] = from[query];
    if (softmax(to, query + 1)) {
      memset(to + query + 1, 0, (tokens - query - 1) * sizeof(float));
      continue;
    }
    for (int64_t key = 0; key < query; ++key) to[key] = seen[key] ? from[key] : -FLT_MAX;
    to[query] = from[query];
    for (int64_t key = query + 1; key < tokens; ++key) to[key] = -FLT_MAX;
    softmax(to, tokens);
  }
  return 0;
}
