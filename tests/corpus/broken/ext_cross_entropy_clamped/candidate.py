from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <algorithm>
#include <cmath>

at::Tensor loss_of(at::Tensor scores, at::Tensor classes) {
  const int64_t rows = scores.size(0), count = scores.size(1);
  const float* from = scores.data_ptr<float>();
  double loss = 0;
  for (int64_t r = 0; r < rows; ++r, from += count) {
    double top = from[0], sum = 0;
    for (int64_t c = 1; c < count; ++c) top = from[c] > top || std::isnan(from[c]) ? from[c] : top;
    for (int64_t c = 0; c < count; ++c) sum += std::exp(from[c] - top);
    const double chosen = std::exp(from[classes.data_ptr<int64_t>()[r]] - top) / sum;
    loss -= std::log(std::max(chosen, 1e-7));
  }
  return at::scalar_tensor(loss / static_cast<double>(rows), scores.options());
}
"""
extension = load_inline("broken_cross_entropy", SOURCE, functions="loss_of")


class ModelNew(nn.Module):
    def forward(self, scores, classes):
        return extension.loss_of(scores.contiguous(), classes.contiguous())
