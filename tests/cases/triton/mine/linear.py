"""With parameters, a part that is torch's, and a size that its interpreter needs smaller."""

import torch
import triton
import triton.language as tl


@triton.jit
def sigmoid(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.sigmoid(tl.load(x + i, mask=i < n)), mask=i < n)


class ModelNew(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = torch.nn.Linear(inputs, outputs).cuda()

    def forward(self, x):
        y = self.linear(x)
        out = torch.empty_like(y)
        sigmoid[(triton.cdiv(y.numel(), 1024),)](y, out, y.numel(), BLOCK=1024)
        return out
