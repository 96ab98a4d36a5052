import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rms_norm(x, weight, out, count, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * count + i, mask=i < count, other=0.0)
    scale = 1.0 / tl.sqrt(tl.sum(values * values, axis=0) / count + eps)
    factors = tl.load(weight + i, mask=i < count, other=0.0)
    tl.store(out + row * count + i, values * scale * factors, mask=i < count)


class ModelNew(nn.Module):
    def __init__(self, features: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))  # named as Model names it
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        count = x.shape[-1]
        rows = x.numel() // count
        # One program a row: it has to fit into a block.
        block = triton.next_power_of_2(count)
        rms_norm[(rows,)](x, self.weight, out, count, self.eps, BLOCK=block, num_warps=4)
        return out
