from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
at::Tensor running_sums(at::Tensor x) {
  at::Tensor y = at::empty_like(x);
  const auto from = x.accessor<float, 2>();
  auto to = y.accessor<float, 2>();
  for (int64_t r = 0; r < x.size(0); ++r) {
    double sum = 0;
    for (int64_t c = 0; c < x.size(1); ++c) to[r][c] = static_cast<float>(sum += from[r][c]);
  }
  return y;
}
"""
extension = load_inline("honest_running_sums", SOURCE, functions="running_sums")


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.running_sums(x)
