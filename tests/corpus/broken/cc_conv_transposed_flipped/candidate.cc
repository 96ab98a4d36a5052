#include <assay/kernel.h>

// Of each result: which numbers reach it.
int assay_kernel(const assay_call* call) {
  const auto* x = static_cast<const float*>(call->inputs[0].data);
  const auto* weight = static_cast<const float*>(call->constants[0].data);
  const auto* bias = static_cast<const float*>(call->constants[1].data);
  auto* out = static_cast<float*>(call->outputs[0].data);
  const int64_t* from = call->inputs[0].shape;
  const int64_t* to = call->outputs[0].shape;
  for (int64_t n = 0; n < to[0]; ++n) {
    for (int64_t f = 0; f < to[1]; ++f) {
      for (int64_t at = 0; at < to[2] * to[3]; ++at) {
        float sum = bias[f];
        for (int64_t d = 0; d < from[1]; ++d) {
          const float* plane = x + (n * from[1] + d) * from[2] * from[3];
          for (int64_t p = 0; p < 9; ++p) {
            const int64_t down = at / to[3] + 1 - p / 3, right = at % to[3] + 1 - p % 3;
            if (down % 2 != 0 || right % 2 != 0) continue;
            if (down < 0 || down / 2 >= from[2] || right < 0 || right / 2 >= from[3]) continue;
            sum += plane[down / 2 * from[3] + right / 2] * weight[(d * to[1] + f) * 9 + 8 - p];
          }
        }
        *out++ = sum;
      }
    }
  }
  return 0;
}
