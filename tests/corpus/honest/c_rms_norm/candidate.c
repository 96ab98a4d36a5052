#include <assay/kernel.h>
#include <math.h>

enum { LANES = 8 };

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  const float* weight = call->constants[0].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], width = call->inputs[0].shape[1];
  for (int64_t r = 0; r < rows; ++r, x += width, out += width) {
    float lanes[LANES] = {0};
    double squares = 0;
    for (int64_t c = 0; c < width; ++c) lanes[c % LANES] += x[c] * x[c];
    for (int lane = 0; lane < LANES; ++lane) squares += lanes[lane];
    const float scale = (float)(1 / sqrt(squares / (double)width + 1e-5));
    for (int64_t c = 0; c < width; ++c) out[c] = x[c] * scale * weight[c];
  }
  return 0;
}
