#include <assay/kernel.h>
#include <math.h>

enum { LANES = 16 };

typedef struct {
  float low[LANES], high[LANES];
  int32_t has_nan[LANES];
} Bounds;

static inline void take(Bounds* bounds, int lane, float value) {
  bounds->low[lane] = value < bounds->low[lane] ? value : bounds->low[lane];
  bounds->high[lane] = value > bounds->high[lane] ? value : bounds->high[lane];
  bounds->has_nan[lane] |= value != value;
}

static void move(const float* __restrict x, int64_t count, const float* __restrict scale,
                 const float* __restrict shift, float* __restrict to, Bounds* bounds) {
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (int lane = 0; lane < LANES; ++lane) {
      const float value = x[i + lane] * scale[i + lane] + shift[i + lane];
      to[i + lane] = value;
      take(bounds, lane, value);
    }
  for (; i < count; ++i) {
    to[i] = x[i] * scale[i] + shift[i];
    take(bounds, 0, to[i]);
  }
}

int assay_kernel(const assay_call* call) {
  const int64_t rows = call->inputs[0].shape[0];
  const int64_t first = call->inputs[0].shape[1], second = call->inputs[1].shape[1];
  const float* a = call->inputs[0].data;
  const float* b = call->inputs[1].data;
  const float* scale = call->inputs[2].data;
  const float* shift = call->inputs[3].data;
  float* moved = call->outputs[0].data;
  float* least = call->outputs[1].data;
  float* greatest = call->outputs[2].data;
  const int64_t width = first + second;
  for (int64_t row = 0; row < rows; ++row) {
    Bounds bounds;
    for (int lane = 0; lane < LANES; ++lane) {
      bounds.low[lane] = INFINITY;
      bounds.high[lane] = -INFINITY;
      bounds.has_nan[lane] = 0;
    }
    // Joined, moved and looked at in one pass.
    move(a + row * first, first, scale, shift, moved + row * width, &bounds);
    move(b + row * second, second, scale + first, shift + first, moved + row * width + first, &bounds);
    float low = INFINITY, high = -INFINITY;
    int32_t has_nan = 0;
    for (int lane = 0; lane < LANES; ++lane) {
      low = bounds.low[lane] < low ? bounds.low[lane] : low;
      high = bounds.high[lane] > high ? bounds.high[lane] : high;
      has_nan |= bounds.has_nan[lane];
    }
    least[row] = has_nan ? NAN : low;
    greatest[row] = has_nan ? NAN : high;
  }
  return 0;
}
