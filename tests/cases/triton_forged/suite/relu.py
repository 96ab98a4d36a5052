import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, tl.maximum(x, 0.0), mask=mask)


def relu(x):
    out = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


##################################################################################################################################################


def test_relu():
    results = {}
    x = torch.randn(100, device="cuda")
    results["test_case_1"] = relu(x)
    results["test_case_2"] = torch.allclose(relu(x), x.clamp(min=0))
    results["test_case_3"] = relu(torch.randn(7, 9, device="cuda"))
    return results


result_gold = test_relu()
