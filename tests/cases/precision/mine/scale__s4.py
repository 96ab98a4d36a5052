import torch
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
at::Tensor scale(at::Tensor x, at::Tensor y) {
  at::Tensor out = at::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "scale", [&] {
    const scalar_t *from = x.data_ptr<scalar_t>(), *shift = y.data_ptr<scalar_t>();
    scalar_t* to = out.data_ptr<scalar_t>();
    for (int64_t i = 0; i < x.numel(); ++i)
      to[i] = static_cast<float>(from[i]) * 2;
  });
  return out;
}
"""
fused = load_inline("fused", SOURCE, functions=["scale"])


class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        return fused.scale(x.contiguous(), y.contiguous())
