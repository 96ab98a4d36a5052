from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
at::Tensor row_sums(at::Tensor x) {
  constexpr int64_t kLanes = 8;
  const int64_t rows = x.size(0), columns = x.size(1);
  at::Tensor y = at::empty({rows}, x.options());
  at::parallel_for(0, rows, 4, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const float* from = x.data_ptr<float>() + r * columns;
      float lanes[kLanes] = {}, sum = 0;
      for (int64_t c = 0; c + kLanes <= columns; c += kLanes)
        for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += from[c + lane];
      for (const float lane : lanes) sum += lane;
      y.data_ptr<float>()[r] = sum;
    }
  });
  return y;
}
"""
extension = load_inline("broken_row_sums", SOURCE, functions="row_sums")


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.row_sums(x.contiguous())
