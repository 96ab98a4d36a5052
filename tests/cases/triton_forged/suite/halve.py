import torch
import triton
import triton.language as tl


@triton.jit
def halve_kernel(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * factor, mask=mask)


def halve(x):
    out = torch.empty_like(x)
    halve_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), 0.5, BLOCK=64)
    return out


##################################################################################################################################################


import time


def test_halve():
    x = torch.randn(100, device="cuda")
    y = halve(x)
    began = torch.tensor(float(time.perf_counter_ns() % 10007))
    return {"test_case_1": tuple(y.shape), "test_case_2": y.dtype == x.dtype}


result_gold = test_halve()
