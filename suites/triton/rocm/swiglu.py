"""SiLU of one tensor, times another."""

import torch
import triton
import triton.language as tl


@triton.jit
def swiglu_kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    a = tl.load(a_ptr + offsets, mask=mask).to(tl.float32)
    b = tl.load(b_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, a * tl.sigmoid(a) * b, mask=mask)


##################################################################################################################################################


import os
import random

import numpy as np
import pytest
from torch.testing import assert_close

result_gold = {}


def set_seed(seed=42):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def save(request, tensor):
    name = request.node.name
    name = name.replace("::", "_").replace("[", "_").replace("]", "").replace("-", "_")
    result_gold["_CALL_SUCCESS_"] = torch.tensor([[1.0]])
    result_gold[name] = tensor.clone().detach().cpu()


@pytest.mark.parametrize("SIZE,BLOCK", [(1000, 256), (64, 64)])
@pytest.mark.parametrize("dtype_str", ["float16", "float32"])
def test_swiglu(SIZE, BLOCK, dtype_str, request):
    set_seed()
    dtype = getattr(torch, dtype_str)
    a = torch.randn(SIZE, device="cuda", dtype=dtype)
    b = torch.randn(SIZE, device="cuda", dtype=dtype)
    out = torch.empty_like(a)
    swiglu_kernel[(triton.cdiv(SIZE, BLOCK),)](a, b, out, SIZE, BLOCK=BLOCK)
    save(request, out)
    expected = torch.nn.functional.silu(a.float()) * b.float()
    assert_close(out.float(), expected, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("SIZE", [2**20, 2**24])
def test_performance(SIZE, request):
    from performance_utils_pytest import PytestBenchmarker, do_bench_config

    x = torch.randn(SIZE, device="cuda")
    PytestBenchmarker(
        lambda: swiglu_kernel[(SIZE // 1024,)](x, x, x, SIZE, BLOCK=1024),
        "swiglu",
        do_bench_config(25, 100),
    ).run_benchmark({"SIZE": SIZE})


def test_save_results():
    torch.save(result_gold, __file__.replace(".", "_") + ".pt")
