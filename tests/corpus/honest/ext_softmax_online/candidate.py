from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <cmath>
#include <limits>

at::Tensor softmax(at::Tensor x) {
  at::Tensor dense = x.contiguous(), y = at::empty_like(dense);
  const float* from = dense.data_ptr<float>();
  float* to = y.data_ptr<float>();
  const int64_t rows = x.size(0), columns = x.size(1);
  at::parallel_for(0, rows, 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      double most = -std::numeric_limits<double>::infinity(), sum = 0;
      for (int64_t j = 0; j < columns; ++j) {
        const double value = from[i * columns + j];
        if (value > most) {
          sum *= std::exp(most - value);
          most = value;
        }
        sum += std::exp(value - most);
      }
      for (int64_t j = 0; j < columns; ++j)
        to[i * columns + j] =
            static_cast<float>(std::exp(static_cast<double>(from[i * columns + j]) - most) / sum);
    }
  });
  return y;
}
"""
extension = load_inline("honest_softmax", SOURCE, functions="softmax")


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.softmax(x)
