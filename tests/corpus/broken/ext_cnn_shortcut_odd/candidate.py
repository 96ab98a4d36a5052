import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <algorithm>

// A convolution of 1 by 1 with a stride of 2.
at::Tensor project(at::Tensor x, at::Tensor weight) {
  const int64_t height = x.size(2), width = x.size(3);
  at::Tensor y = at::zeros(
      {x.size(0), weight.size(0), (height + 1) / 2, (width + 1) / 2}, x.options());
  const auto from = x.accessor<float, 4>(), factors = weight.accessor<float, 4>();
  auto to = y.accessor<float, 4>();
  for (int64_t n = 0; n < y.size(0); ++n)
    for (int64_t f = 0; f < y.size(1); ++f)
      for (int64_t i = 0; i < y.size(2); ++i)
        for (int64_t j = 0; j < y.size(3); ++j)
          for (int64_t d = 0; d < x.size(1); ++d)
            to[n][f][i][j] += factors[f][d][0][0] *
                              from[n][d][std::min(2 * i + 1, height - 1)]
                                  [std::min(2 * j + 1, width - 1)];
  return y;
}
"""
extension = load_inline("broken_shortcut", SOURCE, functions="project")


class Norm(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(channels) + 0.5)
        self.bias = nn.Parameter(torch.randn(channels))
        self.register_buffer("mean", torch.randn(channels))
        self.register_buffer("variance", torch.rand(channels) + 0.25)

    def forward(self, x):
        return F.batch_norm(x, self.mean, self.variance, self.weight, self.bias, False, 0.1, 1e-5)


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride=2, padding=1, bias=False)
        self.first_norm = Norm(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.second_norm = Norm(outputs)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride=2, bias=False)
        self.shortcut_norm = Norm(outputs)

    def forward(self, x):
        y = torch.relu(self.first_norm(self.first(x)))
        y = self.second_norm(self.second(y))
        shortcut = extension.project(x.contiguous(), self.shortcut.weight)
        return torch.relu(y + self.shortcut_norm(shortcut))
