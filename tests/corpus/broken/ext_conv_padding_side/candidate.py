import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
at::Tensor along_time(at::Tensor x, at::Tensor weight, at::Tensor bias) {
  at::Tensor y = at::empty_like(x);
  const int64_t channels = x.size(1), length = x.size(2), taps = weight.size(2);
  const int64_t before = taps / 2;
  at::parallel_for(0, x.size(0) * channels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      for (int64_t at = 0; at < length; ++at) {
        float sum = bias.data_ptr<float>()[row % channels];
        for (int64_t p = 0; p < taps; ++p) {
          const int64_t place = at + p - before;
          if (place < 0 || place >= length) continue;
          sum += x.data_ptr<float>()[row * length + place] *
                 weight.data_ptr<float>()[row % channels * taps + p];
        }
        y.data_ptr<float>()[row * length + at] = sum;
      }
  });
  return y;
}
"""
extension = load_inline("broken_causal", SOURCE, functions="along_time")


class ModelNew(nn.Module):
    def __init__(self, channels, taps):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, 1, taps) / 2)
        self.bias = nn.Parameter(torch.randn(channels))

    def forward(self, x):
        return extension.along_time(x.contiguous(), self.weight, self.bias)
