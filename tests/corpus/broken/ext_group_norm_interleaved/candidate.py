import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
at::Tensor group_norm(at::Tensor x, int64_t groups, at::Tensor weight, at::Tensor bias) {
  const int64_t batch = x.size(0), channels = x.size(1);
  at::Tensor parted = x.reshape({batch, channels / groups, groups, -1});
  at::Tensor variance, mean;
  std::tie(variance, mean) = at::var_mean(parted, at::IntArrayRef({1, 3}), false, true);
  at::Tensor y = ((parted - mean) * at::rsqrt(variance + 1e-3)).reshape(x.sizes());
  return y * weight.view({1, channels, 1, 1}) + bias.view({1, channels, 1, 1});
}
"""
extension = load_inline("broken_group_norm", SOURCE, functions="group_norm")


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.groups = groups
        self.weight = nn.Parameter(torch.rand(channels) + 0.5)
        self.bias = nn.Parameter(torch.randn(channels))

    def forward(self, x):
        return extension.group_norm(x, self.groups, self.weight, self.bias)
