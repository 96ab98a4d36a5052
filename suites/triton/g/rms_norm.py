"""Rows divided by the root of the mean of their squares, times weights."""

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(x_ptr, weight_ptr, out_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=mask, other=0.0)
    scale = 1.0 / tl.sqrt(tl.sum(x * x, axis=0) / columns + eps)
    weight = tl.load(weight_ptr + offsets, mask=mask)
    tl.store(out_ptr + row * columns + offsets, x * scale * weight, mask=mask)


def rms_norm(x, weight, eps=1e-5):
    rows, columns = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(columns)
    rms_norm_kernel[(rows,)](x, weight, out, columns, eps, BLOCK=block)
    return out


##################################################################################################################################################


def test_rms_norm():
    torch.manual_seed(0)
    x = torch.randn(8, 96, device="cuda")
    weight = torch.randn(96, device="cuda")
    return {
        "test_case_1": rms_norm(x, weight),
        "test_case_2": rms_norm(x, weight, eps=0.5),
        "test_case_3": rms_norm(x[:1], torch.ones(96, device="cuda")),
    }


result_gold = test_rms_norm()
