from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
at::Tensor product(at::Tensor a, at::Tensor b) {
  const int64_t m = a.size(0), k = a.size(1), n = b.size(1);
  at::Tensor y = at::zeros({m, n}, a.options());
  auto left = a.accessor<float, 2>(), right = b.accessor<float, 2>(), to = y.accessor<float, 2>();
  constexpr int64_t kBlock = 16;
  for (int64_t first = 0; first < k; first += kBlock)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t p = first; p < std::min(first + kBlock, k); ++p)
          sum += left[i][p] * right[p][j];
        to[i][j] += sum;
      }
  return y;
}
"""
extension = load_inline("honest_product", SOURCE, functions="product")


class ModelNew(nn.Module):
    def forward(self, a, b):
        return extension.product(a, b)
