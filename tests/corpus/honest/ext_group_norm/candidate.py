import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <cmath>

at::Tensor group_norm(at::Tensor x, int64_t groups, at::Tensor weight, at::Tensor bias) {
  at::Tensor y = at::empty_like(x);
  const int64_t channels = x.size(1), area = x.size(2) * x.size(3);
  const int64_t each = channels / groups, count = each * area;
  const float *scale = weight.data_ptr<float>(), *shift = bias.data_ptr<float>();
  for (int64_t group = 0; group < x.size(0) * groups; ++group) {
    const float* from = x.data_ptr<float>() + group * count;
    float* to = y.data_ptr<float>() + group * count;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; ++i) sum += from[i];
    const double mean = sum / static_cast<double>(count);
    for (int64_t i = 0; i < count; ++i) squares += (from[i] - mean) * (from[i] - mean);
    const double factor = 1 / std::sqrt(squares / static_cast<double>(count) + 1e-3);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t channel = group % groups * each + i / area;
      to[i] = static_cast<float>((from[i] - mean) * factor * scale[channel] + shift[channel]);
    }
  }
  return y;
}
"""
extension = load_inline("honest_group_norm", SOURCE, functions="group_norm")


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.groups = groups
        self.weight = nn.Parameter(torch.rand(channels) + 0.5)
        self.bias = nn.Parameter(torch.randn(channels))

    def forward(self, x):
        return extension.group_norm(x, self.groups, self.weight, self.bias)
