from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <cmath>
#include <vector>

at::Tensor attend(at::Tensor q, at::Tensor k, at::Tensor v) {
  at::Tensor y = at::empty_like(q);
  const int64_t length = q.size(2), width = q.size(3);
  const double scale = 1 / std::sqrt(static_cast<double>(width));
  at::parallel_for(0, q.numel() / width, 8, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t first = row / length * length;
      const float* query = q.data_ptr<float>() + row * width;
      double top = -INFINITY, sum = 0;
      std::vector<double> mixed(width);
      for (int64_t j = first; j < first + length; ++j) {
        double score = 0;
        for (int64_t c = 0; c < width; ++c)
          score += scale * query[c] * k.data_ptr<float>()[j * width + c];
        if (score > top || std::isnan(score)) {
          const double shrink = std::exp(top - score);
          top = score;
          sum *= shrink;
          for (double& part : mixed) part *= shrink;
        }
        const double weight = score == -INFINITY ? 0 : std::exp(score - top);
        sum += weight;
        for (int64_t c = 0; c < width; ++c)
          mixed[c] += weight * v.data_ptr<float>()[j * width + c];
      }
      for (int64_t c = 0; c < width; ++c)
        y.data_ptr<float>()[row * width + c] = static_cast<float>(mixed[c] / sum);
    }
  });
  return y;
}
"""
extension = load_inline("honest_attention", SOURCE, functions="attend")


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        return extension.attend(q.contiguous(), k.contiguous(), v.contiguous())
