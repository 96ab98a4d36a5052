import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>
#include <cmath>

torch::Tensor rms_norm(torch::Tensor x, torch::Tensor weight, double eps) {
  TORCH_CHECK(x.scalar_type() == torch::kFloat32);
  x = x.contiguous();
  torch::Tensor result = torch::empty_like(x);
  const int64_t count = x.size(-1), rows = x.numel() / count;
  const float* from = x.data_ptr<float>();
  const float* scale = weight.data_ptr<float>();
  float* to = result.data_ptr<float>();
  at::parallel_for(0, rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* in = from + row * count;
      float* out = to + row * count;
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t i = 0; i < count; ++i) sum += in[i] * in[i];
      const float factor = 1.0f / std::sqrt(sum / count + static_cast<float>(eps));
      for (int64_t i = 0; i < count; ++i) out[i] = in[i] * factor * scale[i];
    }
  });
  return result;
}
"""

extension = load_inline(
    name="rms_norm",
    cpp_sources=SOURCE,
    functions=["rms_norm"],
    extra_cflags=["-O3", "-march=native", "-fopenmp"],
)


class ModelNew(nn.Module):
    def __init__(self, features: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))  # named as Model names it
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return extension.rms_norm(x, self.weight, self.eps)
