"""x where it is positive, and a part of it elsewhere."""

import torch
import triton
import triton.language as tl


@triton.jit
def leaky_relu_kernel(x_ptr, out_ptr, n, slope, BLOCK: "tl.constexpr"):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, tl.where(x > 0, x, slope * x), mask=mask)


def leaky_relu(x, slope=0.01):
    out = torch.empty_like(x)
    n = out.numel()
    leaky_relu_kernel[(triton.cdiv(n, 128),)](x, out, n, slope, 128)
    return out


##################################################################################################################################################


def test_leaky_relu():
    results = {}
    x = torch.randn(33, 17, device="cuda")
    results["test_case_1"] = leaky_relu(x)
    results["test_case_2"] = leaky_relu(x, 0.2)
    results["test_case_3"] = [leaky_relu(-x, 1.0), leaky_relu(torch.zeros(5, device="cuda"))]
    return results


result_gold = test_leaky_relu()
