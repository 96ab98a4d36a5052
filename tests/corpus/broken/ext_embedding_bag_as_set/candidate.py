import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <set>

at::Tensor bag_means(at::Tensor indices, at::Tensor table, int64_t padding) {
  at::Tensor y = at::zeros({indices.size(0), table.size(1)}, table.options());
  for (int64_t bag = 0; bag < indices.size(0); ++bag) {
    const int64_t* begin = indices.data_ptr<int64_t>() + bag * indices.size(1);
    std::set<int64_t> chosen(begin, begin + indices.size(1));
    chosen.erase(padding);
    for (const int64_t row : chosen) y[bag] += table[row] / static_cast<double>(chosen.size());
  }
  return y;
}
"""
extension = load_inline("broken_bags", SOURCE, functions="bag_means")

PADDING = 3


class ModelNew(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(rows, width))

    def forward(self, indices):
        return extension.bag_means(indices.contiguous(), self.table, PADDING)
