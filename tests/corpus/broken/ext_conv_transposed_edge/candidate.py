from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
// With a stride of 2, a padding of 1, and one row and column more at the end.
at::Tensor spread(at::Tensor x, at::Tensor weight, at::Tensor bias) {
  const int64_t height = 2 * x.size(2), width = 2 * x.size(3);
  at::Tensor y = at::empty({x.size(0), weight.size(1), height, width}, x.options());
  y.copy_(bias.view({-1, 1, 1}));
  const auto from = x.accessor<float, 4>(), factors = weight.accessor<float, 4>();
  auto to = y.accessor<float, 4>();
  for (int64_t n = 0; n < x.size(0); ++n)
    for (int64_t f = 0; f < y.size(1); ++f)
      for (int64_t d = 0; d < x.size(1); ++d)
        for (int64_t i = 0; i < x.size(2); ++i)
          for (int64_t j = 0; j < x.size(3); ++j)
            for (int64_t p = 0; p < 9; ++p) {
              const int64_t row = 2 * i + p / 3 - 1, column = 2 * j + p % 3 - 1;
              if (row < 0 || row >= height - 1 || column < 0 || column >= width - 1) continue;
              to[n][f][row][column] += from[n][d][i][j] * factors[d][f][p / 3][p % 3];
            }
  return y;
}
"""
extension = load_inline("broken_transposed", SOURCE, functions="spread")


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.ConvTranspose2d(inputs, outputs, 3, stride=2, padding=1, output_padding=1)

    def forward(self, x):
        return extension.spread(x.contiguous(), self.conv.weight, self.conv.bias)
