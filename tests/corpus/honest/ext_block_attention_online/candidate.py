import torch.nn.functional as F
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <cmath>
#include <vector>

// [batch, length, q k v of all heads] to [batch, length, all heads]
at::Tensor attend(at::Tensor qkv, int64_t heads) {
  const int64_t length = qkv.size(1), width = qkv.size(2) / 3, each = width / heads;
  at::Tensor y = at::empty({qkv.size(0), length, width}, qkv.options());
  const double scale = 1 / std::sqrt(static_cast<double>(each));
  at::parallel_for(0, qkv.size(0) * heads, 1, [&](int64_t begin, int64_t end) {
    std::vector<double> mixed(each);
    for (int64_t task = begin; task < end; ++task) {
      const int64_t n = task / heads, head = task % heads * each;
      const float* rows = qkv.data_ptr<float>() + n * length * 3 * width + head;
      for (int64_t i = 0; i < length; ++i) {
        double most = -INFINITY, sum = 0;
        mixed.assign(each, 0);
        for (int64_t j = 0; j <= i; ++j) {
          double score = 0;
          for (int64_t c = 0; c < each; ++c)
            score += scale * rows[i * 3 * width + c] * rows[j * 3 * width + width + c];
          if (score > most || std::isnan(score)) {
            const double shrink = std::exp(most - score);
            most = score;
            sum *= shrink;
            for (double& part : mixed) part *= shrink;
          }
          const double weight = std::exp(score - most);
          sum += weight;
          for (int64_t c = 0; c < each; ++c)
            mixed[c] += weight * rows[j * 3 * width + 2 * width + c];
        }
        float* to = y.data_ptr<float>() + (n * length + i) * width + head;
        for (int64_t c = 0; c < each; ++c) to[c] = static_cast<float>(mixed[c] / sum);
      }
    }
  });
  return y;
}
"""
extension = load_inline("honest_block", SOURCE, functions="attend")


class ModelNew(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp_norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        x = x + self.out(extension.attend(self.qkv(self.attention_norm(x)), self.heads))
        return x + self.down(F.gelu(self.up(self.mlp_norm(x))))
