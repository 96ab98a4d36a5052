"""Of more shared memory than there is."""

import torch
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, 16)
    k = tl.arange(0, BLOCK)
    a = tl.load(x + i[:, None] * BLOCK + k[None, :])
    b = tl.load(y + k[:, None] * 16 + i[None, :])
    tl.store(out + i[:, None] * 16 + i[None, :], tl.dot(a, b))


class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        assert x.is_cuda and y.device.type == "cuda"
        out = torch.empty_like(x)
        add[(triton.cdiv(out.numel(), 256),)](x, y, out, out.numel(), BLOCK=4096)
        return out
