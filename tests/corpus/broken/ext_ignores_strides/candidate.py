from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
at::Tensor product(at::Tensor a, at::Tensor b) {
  const int64_t m = a.size(0), k = a.size(1), n = b.size(1);
  at::Tensor y = at::zeros({m, n}, a.options());
  const float *left = a.data_ptr<float>(), *right = b.data_ptr<float>();
  float* to = y.data_ptr<float>();
  for (int64_t i = 0; i < m; ++i)
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) to[i * n + j] += left[i * k + p] * right[p * n + j];
  return y;
}
"""
extension = load_inline("broken_strides", SOURCE, functions="product")


class ModelNew(nn.Module):
    def forward(self, a, b):
        return extension.product(a, b)
