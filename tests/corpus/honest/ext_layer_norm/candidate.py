import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <cmath>

at::Tensor layer_norm(at::Tensor x, at::Tensor weight, at::Tensor bias) {
  at::Tensor y = at::empty_like(x);
  const int64_t rows = x.size(0), width = x.size(1);
  const float *scale = weight.data_ptr<float>(), *shift = bias.data_ptr<float>();
  at::parallel_for(0, rows, 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* from = x.data_ptr<float>() + i * width;
      float* to = y.data_ptr<float>() + i * width;
      double sum = 0, squares = 0;
      for (int64_t j = 0; j < width; ++j) sum += from[j];
      const double mean = sum / static_cast<double>(width);
      for (int64_t j = 0; j < width; ++j) squares += (from[j] - mean) * (from[j] - mean);
      const double factor = 1 / std::sqrt(squares / static_cast<double>(width) + 1e-5);
      for (int64_t j = 0; j < width; ++j)
        to[j] = static_cast<float>((from[j] - mean) * factor * scale[j] + shift[j]);
    }
  });
  return y;
}
"""
extension = load_inline("honest_layer_norm", SOURCE, functions="layer_norm")


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)
        self.bias = nn.Parameter(torch.randn(width))

    def forward(self, x):
        return extension.layer_norm(x, self.weight, self.bias)
