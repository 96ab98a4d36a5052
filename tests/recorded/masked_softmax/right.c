#include <assay/kernel.h>
#include <math.h>
#include <float.h>

int assay_kernel(const assay_call* call) {
  const int64_t* shape = call->inputs[0].shape;
  const int64_t batch = shape[0], heads = shape[1], tokens = shape[2];
  const float* scores = call->inputs[0].data;
  const unsigned char* present = call->inputs[1].data;
  float* y = call->outputs[0].data;
  for (int64_t row = 0; row < batch * heads * tokens; ++row) {
    const int64_t query = row % tokens, image = row / tokens / heads;
    const float* from = scores + row * tokens;
    float* to = y + row * tokens;
    double most = -INFINITY, sum = 0;
    for (int64_t key = 0; key < tokens; ++key) {
      const int is_seen = key == query || (key < query && present[image * tokens + key]);
      const float value = is_seen ? from[key] : -FLT_MAX;
      if (value > most || isnan(value)) most = value;
      if (isnan(most)) break;
    }
    for (int64_t key = 0; key < tokens; ++key) {
      const int is_seen = key == query || (key < query && present[image * tokens + key]);
      sum += exp((is_seen ? from[key] : -FLT_MAX) - most);
    }
    for (int64_t key = 0; key < tokens; ++key) {
      const int is_seen = key == query || (key < query && present[image * tokens + key]);
      to[key] = (float)(exp((is_seen ? from[key] : -FLT_MAX) - most) / sum);
    }
  }
  return 0;
}
