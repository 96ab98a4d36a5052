#include <assay/kernel.h>
#include <math.h>

static float dot(const float* one, const float* other, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += (double)one[i] * other[i];
  return (float)sum;
}

/* A row at a time: no more than one hidden number is ever held. */
int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  const float* scale = call->constants[0].data;
  const float* gate = call->constants[1].data;
  const float* up = call->constants[2].data;
  const float* down = call->constants[3].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], width = call->inputs[0].shape[1];
  const int64_t hidden = call->constants[1].shape[0];
  for (int64_t r = 0; r < rows; ++r, x += width, out += width) {
    float normed[width];
    double sums[width], squares = 0;
    for (int64_t i = 0; i < width; ++i) squares += (double)x[i] * x[i];
    const double factor = 1 / (sqrt(squares / (double)width) + 1e-4);
    for (int64_t i = 0; i < width; ++i) {
      normed[i] = (float)(x[i] * factor * scale[i]);
      sums[i] = x[i];
    }
    for (int64_t j = 0; j < hidden; ++j) {
      const float open = dot(gate + j * width, normed, width);
      const float wide = open / (1 + expf(-open)) * dot(up + j * width, normed, width);
      for (int64_t i = 0; i < width; ++i) sums[i] += (double)wide * down[i * hidden + j];
    }
    for (int64_t i = 0; i < width; ++i) out[i] = (float)sums[i];
  }
  return 0;
}
