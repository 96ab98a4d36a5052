#include <assay/kernel.h>

enum { PADDING = 3 };

int assay_kernel(const assay_call* call) {
  const int64_t* indices = call->inputs[0].data;
  const float* table = call->constants[0].data;
  float* out = call->outputs[0].data;
  const int64_t bags = call->inputs[0].shape[0], each = call->inputs[0].shape[1];
  const int64_t width = call->constants[0].shape[1];
  for (int64_t bag = 0; bag < bags; ++bag, indices += each, out += width) {
    int64_t count = 0;
    for (int64_t i = 0; i < each; ++i) count += indices[i] != PADDING;
    for (int64_t c = 0; c < width; ++c) {
      double sum = 0;
      for (int64_t i = 0; i < each; ++i) {
        if (indices[i] != PADDING) sum += table[indices[i] * width + c];
      }
      out[c] = (float)(count ? sum / (double)count : 0);
    }
  }
  return 0;
}
