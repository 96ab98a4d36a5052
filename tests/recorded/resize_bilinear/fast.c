#include <assay/kernel.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
  int32_t first, second;
  float of_first, of_second;
} Between;

static void find_places(int64_t from, int64_t to, Between* places) {
  for (int64_t i = 0; i < to; ++i) {
    double at = (i + 0.5) * from / to - 0.5;
    if (at < 0) at = 0;
    places[i].first = (int32_t)at;
    places[i].second = places[i].first + (places[i].first + 1 < from ? 1 : 0);
    places[i].of_second = (float)(at - places[i].first);
    places[i].of_first = (float)(1 - (at - places[i].first));
  }
}

int assay_kernel(const assay_call* call) {
  const int64_t *in = call->inputs[0].shape, *out = call->outputs[0].shape;
  const int64_t planes = in[0] * in[1];
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  // Places and weights are the same for all planes; and each row is stretched once, not for each
  // row of the result that is made of it.
  Between* rows = (Between*)malloc((out[2] + out[3]) * sizeof(Between));
  float* wide = (float*)malloc(in[2] * out[3] * sizeof(float));
  if (!rows || !wide) return 1;
  Between* columns = rows + out[2];
  find_places(in[2], out[2], rows);
  find_places(in[3], out[3], columns);
  for (int64_t plane = 0; plane < planes; ++plane) {
    for (int64_t row = 0; row < in[2]; ++row) {
      const float* from = x + (plane * in[2] + row) * in[3];
      float* to = wide + row * out[3];
      for (int64_t j = 0; j < out[3]; ++j)
        to[j] = columns[j].of_first * from[columns[j].first] +
                columns[j].of_second * from[columns[j].second];
    }
    for (int64_t row = 0; row < out[2]; ++row) {
      const float* __restrict above = wide + rows[row].first * out[3];
      const float* __restrict below = wide + rows[row].second * out[3];
      float* __restrict to = y + (plane * out[2] + row) * out[3];
      const float a = rows[row].of_first, b = rows[row].of_second;
      for (int64_t j = 0; j < out[3]; ++j) to[j] = a * above[j] + b * below[j];
    }
  }
  free(rows);
  free(wide);
  return 0;
}
