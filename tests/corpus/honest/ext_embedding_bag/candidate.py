import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <vector>

at::Tensor bag_means(at::Tensor indices, at::Tensor table, int64_t padding) {
  const int64_t bags = indices.size(0), width = table.size(1);
  at::Tensor y = at::empty({bags, width}, table.options());
  const auto chosen = indices.accessor<int64_t, 2>();
  const auto from = table.accessor<float, 2>();
  auto to = y.accessor<float, 2>();
  at::parallel_for(0, bags, 4, [&](int64_t begin, int64_t end) {
    for (int64_t bag = begin; bag < end; ++bag) {
      std::vector<double> sums(width);
      int64_t count = 0;
      for (int64_t i = 0; i < indices.size(1); ++i) {
        if (chosen[bag][i] == padding) continue;
        ++count;
        for (int64_t c = 0; c < width; ++c) sums[c] += from[chosen[bag][i]][c];
      }
      for (int64_t c = 0; c < width; ++c)
        to[bag][c] = static_cast<float>(count ? sums[c] / static_cast<double>(count) : 0);
    }
  });
  return y;
}
"""
extension = load_inline("honest_bags", SOURCE, functions="bag_means")

PADDING = 3


class ModelNew(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(rows, width))

    def forward(self, indices):
        return extension.bag_means(indices, self.table, PADDING)
