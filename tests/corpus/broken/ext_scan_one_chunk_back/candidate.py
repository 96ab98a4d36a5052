from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <algorithm>

at::Tensor running_sums(at::Tensor x) {
  constexpr int64_t kChunk = 256;
  at::Tensor y = at::empty_like(x);
  const auto from = x.accessor<float, 2>();
  auto to = y.accessor<float, 2>();
  for (int64_t r = 0; r < x.size(0); ++r) {
    double before = 0;
    for (int64_t first = 0; first < x.size(1); first += kChunk) {
      double sum = 0;
      for (int64_t c = first; c < std::min(first + kChunk, x.size(1)); ++c) {
        sum += from[r][c];
        to[r][c] = static_cast<float>(before + sum);
      }
      before = sum;
    }
  }
  return y;
}
"""
extension = load_inline("broken_running_sums", SOURCE, functions="running_sums")


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.running_sums(x)
