"""Asks of CUDA what has an answer without a device, and works on a stream."""

import torch
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        assert x.is_cuda and y.device.type == "cuda"
        torch.cuda.set_device(x.device)
        assert torch.cuda.get_device_capability()[0] >= 8
        grid = min(torch.cuda.get_device_properties(x.device).multi_processor_count, 64)
        assert grid > 0
        out = torch.empty(x.shape, device=x.device, dtype=x.dtype)
        with torch.cuda.device(x.device), torch.cuda.stream(torch.cuda.Stream()):
            torch.cuda.synchronize()
        add[(triton.cdiv(out.numel(), 256),)](x, y, out, out.numel(), BLOCK=256)
        return out
