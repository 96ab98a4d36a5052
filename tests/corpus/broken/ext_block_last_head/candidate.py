import torch.nn.functional as F
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <cmath>
#include <vector>

// [batch, length, q k v of all heads] to [batch, length, all heads]
at::Tensor attend(at::Tensor qkv, int64_t heads) {
  const int64_t length = qkv.size(1), width = qkv.size(2) / 3, each = width / heads;
  at::Tensor y = at::zeros({qkv.size(0), length, width}, qkv.options());
  const double scale = 1 / std::sqrt(static_cast<double>(each));
  std::vector<double> weights(length);
  for (int64_t n = 0; n < qkv.size(0); ++n)
    for (int64_t head = 0; head + each < width; head += each)
      for (int64_t i = 0; i < length; ++i) {
        const float* rows = qkv.data_ptr<float>() + n * length * 3 * width + head;
        float* to = y.data_ptr<float>() + (n * length + i) * width + head;
        double most = -INFINITY, sum = 0;
        for (int64_t j = 0; j <= i; ++j) {
          double score = 0;
          for (int64_t c = 0; c < each; ++c)
            score += scale * rows[i * 3 * width + c] * rows[j * 3 * width + width + c];
          weights[j] = score;
          most = score > most || std::isnan(score) ? score : most;
        }
        for (int64_t j = 0; j <= i; ++j) sum += weights[j] = std::exp(weights[j] - most);
        for (int64_t c = 0; c < each; ++c) {
          double mixed = 0;
          for (int64_t j = 0; j <= i; ++j)
            mixed += weights[j] * rows[j * 3 * width + 2 * width + c];
          to[c] = static_cast<float>(mixed / sum);
        }
      }
  return y;
}
"""
extension = load_inline("broken_last_head", SOURCE, functions="attend")


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
