#include <assay/kernel.h>
#include <math.h>

int assay_kernel(const assay_call* call) {
  const int64_t batch = call->inputs[0].shape[0], heads = call->inputs[0].shape[1];
  const int64_t window = call->scalars[1].integer, places = window * window;
  const int64_t span = 2 * window - 1;
  const float* scores = call->inputs[0].data;
  const float* table = call->constants[0].data;
  float* y = call->outputs[0].data;
  for (int64_t row = 0; row < batch * heads * places; ++row) {
    const int64_t i = row % places, head = row / places % heads;
    float* to = y + row * places;
    double most = -INFINITY, sum = 0;
    for (int64_t j = 0; j < places; ++j) {
      const int64_t down = i / window - j / window + window - 1;
      const int64_t across = i % window - j % window + window - 1;
      to[j] = scores[row * places + j] + table[(down * span + across) * heads + head];
      if (!(to[j] <= most) && !isnan(most)) most = to[j];
    }
    for (int64_t j = 0; j < places; ++j) sum += exp(to[j] - most);
    for (int64_t j = 0; j < places; ++j) to[j] = (float)(exp(to[j] - most) / sum);
  }
  return 0;
}
