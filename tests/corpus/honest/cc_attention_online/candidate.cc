#include <assay/kernel.h>

#include <cmath>
#include <limits>
#include <vector>

int assay_kernel(const assay_call* call) {
  const auto* q = static_cast<const float*>(call->inputs[0].data);
  const auto* k = static_cast<const float*>(call->inputs[1].data);
  const auto* v = static_cast<const float*>(call->inputs[2].data);
  auto* out = static_cast<float*>(call->outputs[0].data);
  const int64_t* shape = call->inputs[0].shape;
  const int64_t heads = shape[0] * shape[1], length = shape[2], width = shape[3];
  const float scale = 1 / std::sqrt(static_cast<float>(width));
  const float lowest = -std::numeric_limits<float>::infinity();
  std::vector<float> sums(static_cast<std::size_t>(width));
  for (int64_t row = 0; row < heads * length; ++row) {
    const int64_t head = row / length * length;
    float top = lowest, total = 0;
    sums.assign(sums.size(), 0);
    for (int64_t other = head; other < head + length; ++other) {
      float score = 0;
      for (int64_t c = 0; c < width; ++c) score += q[row * width + c] * k[other * width + c];
      score *= scale;
      if (score > top) {
        const float shrink = std::exp(top - score);
        top = score;
        total *= shrink;
        for (float& sum : sums) sum *= shrink;
      }
      const float power = score == lowest ? 0 : std::exp(score - top);
      total += power;
      for (int64_t c = 0; c < width; ++c) {
        sums[static_cast<std::size_t>(c)] += power * v[other * width + c];
      }
    }
    for (int64_t c = 0; c < width; ++c) {
      out[row * width + c] = sums[static_cast<std::size_t>(c)] / total;
    }
  }
  return 0;
}
