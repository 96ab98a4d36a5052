from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <cmath>
#include <vector>

// All of the block a row at a time: no more than one hidden number is ever held.
at::Tensor block(at::Tensor x, at::Tensor scale, at::Tensor shift, at::Tensor up,
                 at::Tensor up_bias, at::Tensor down, at::Tensor down_bias) {
  at::Tensor y = at::empty_like(x);
  const int64_t rows = x.size(0), width = x.size(1), hidden = up.size(0);
  const float *gain = scale.data_ptr<float>(), *offset = shift.data_ptr<float>();
  const float *wide = up.data_ptr<float>(), *wide_bias = up_bias.data_ptr<float>();
  const float *narrow = down.data_ptr<float>(), *narrow_bias = down_bias.data_ptr<float>();
  at::parallel_for(0, rows, 4, [&](int64_t begin, int64_t end) {
    std::vector<double> normed(width), sums(width);
    for (int64_t r = begin; r < end; ++r) {
      const float* from = x.data_ptr<float>() + r * width;
      double sum = 0, squares = 0;
      for (int64_t i = 0; i < width; ++i) sum += from[i];
      const double mean = sum / static_cast<double>(width);
      for (int64_t i = 0; i < width; ++i) squares += (from[i] - mean) * (from[i] - mean);
      const double factor = 1 / std::sqrt(squares / static_cast<double>(width) + 1e-5);
      for (int64_t i = 0; i < width; ++i) {
        normed[i] = (from[i] - mean) * factor * gain[i] + offset[i];
        sums[i] = narrow_bias[i] + static_cast<double>(from[i]);
      }
      for (int64_t j = 0; j < hidden; ++j) {
        double number = wide_bias[j];
        for (int64_t i = 0; i < width; ++i) number += wide[j * width + i] * normed[i];
        number *= 0.5 * std::erfc(-number / std::sqrt(2.0));
        for (int64_t i = 0; i < width; ++i) sums[i] += narrow[i * hidden + j] * number;
      }
      float* to = y.data_ptr<float>() + r * width;
      for (int64_t i = 0; i < width; ++i) to[i] = static_cast<float>(sums[i]);
    }
  });
  return y;
}
"""
extension = load_inline("honest_gelu_mlp", SOURCE, functions="block")


class ModelNew(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        norm, up, down = self.norm, self.up, self.down
        return extension.block(
            x, norm.weight, norm.bias, up.weight, up.bias, down.weight, down.bias
        )
