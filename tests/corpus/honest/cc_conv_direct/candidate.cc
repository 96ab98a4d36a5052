#include <assay/kernel.h>

#include <algorithm>

int assay_kernel(const assay_call* call) {
  const auto* x = static_cast<const float*>(call->inputs[0].data);
  const auto* weight = static_cast<const float*>(call->constants[0].data);
  const auto* bias = static_cast<const float*>(call->constants[1].data);
  auto* out = static_cast<float*>(call->outputs[0].data);
  const int64_t* shape = call->inputs[0].shape;
  const int64_t depth = shape[1], height = shape[2], width = shape[3];
  const int64_t filters = call->outputs[0].shape[1];
  for (int64_t n = 0; n < shape[0]; ++n) {
    for (int64_t f = 0; f < filters; ++f) {
      float* image = out + (n * filters + f) * height * width;
      std::fill(image, image + height * width, bias[f]);
      for (int64_t d = 0; d < depth; ++d) {
        const float* plane = x + (n * depth + d) * height * width;
        for (int64_t p = 0; p < 9; ++p) {
          const int64_t down = p / 3 - 1, right = p % 3 - 1;
          const float factor = weight[(f * depth + d) * 9 + p];
          for (int64_t i = std::max<int64_t>(0, -down); i < height - std::max<int64_t>(0, down);
               ++i) {
            for (int64_t j = std::max<int64_t>(0, -right); j < width - std::max<int64_t>(0, right);
                 ++j) {
              image[i * width + j] += factor * plane[(i + down) * width + j + right];
            }
          }
        }
      }
    }
  }
  return 0;
}
