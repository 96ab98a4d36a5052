from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
at::Tensor convolve(at::Tensor x, at::Tensor weight, at::Tensor bias) {
  const int64_t height = x.size(2), width = x.size(3);
  at::Tensor y = at::empty({x.size(0), weight.size(0), height, width}, x.options());
  const auto from = x.accessor<float, 4>(), factors = weight.accessor<float, 4>();
  auto to = y.accessor<float, 4>();
  at::parallel_for(0, x.size(0) * weight.size(0), 1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t n = task / weight.size(0), f = task % weight.size(0);
      for (int64_t i = 0; i < height; ++i)
        for (int64_t j = 0; j < width; ++j) {
          float sum = bias.data_ptr<float>()[f];
          for (int64_t d = 0; d < x.size(1); ++d)
            for (int64_t p = 0; p < 9; ++p) {
              const int64_t row = i + p / 3 - 1, column = j + p % 3 - 1;
              if (row < 0 || row >= height || column < 0 || column >= width) continue;
              sum += from[n][d][row][column] * factors[f][d][p / 3][p % 3];
            }
          to[n][f][i][j] = sum;
        }
    }
  });
  return y;
}
"""
extension = load_inline("honest_conv", SOURCE, functions="convolve")


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1)

    def forward(self, x):
        return extension.convolve(x, self.conv.weight, self.conv.bias)
