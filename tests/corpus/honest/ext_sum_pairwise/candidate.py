from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
float sum(const float* x, int64_t count) {
  if (count > 8) return sum(x, count / 2) + sum(x + count / 2, count - count / 2);
  float total = 0;
  for (int64_t i = 0; i < count; ++i) total += x[i];
  return total;
}

at::Tensor row_sums(at::Tensor x) {
  const int64_t rows = x.size(0), columns = x.size(1);
  at::Tensor y = at::empty({rows}, x.options());
  at::parallel_for(0, rows, 4, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      y.data_ptr<float>()[r] = sum(x.data_ptr<float>() + r * columns, columns);
  });
  return y;
}
"""
extension = load_inline("honest_row_sums", SOURCE, functions="row_sums")


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.row_sums(x.contiguous())
