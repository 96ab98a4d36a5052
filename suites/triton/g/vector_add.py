"""The sum of two vectors."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def vector_add(x, y):
    out = torch.empty_like(x)
    n = out.numel()
    add_kernel[(triton.cdiv(n, 256),)](x, y, out, n, BLOCK=256)
    return out


##################################################################################################################################################


def test_vector_add():
    results = {}
    for number, n in enumerate((256, 1000, 1), 1):
        x = torch.randn(n, device="cuda")
        y = torch.randn(n, device="cuda")
        results[f"test_case_{number}"] = vector_add(x, y)
    return results


result_gold = test_vector_add()
