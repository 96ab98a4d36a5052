"""Pairs of elements, turned by the angles of their places."""

import torch
import triton
import triton.language as tl


@triton.jit
def rotate_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, half, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < half
    cos = tl.load(cos_ptr + row * half + offsets, mask=mask)
    sin = tl.load(sin_ptr + row * half + offsets, mask=mask)
    first = tl.load(x_ptr + 2 * row * half + offsets, mask=mask)
    second = tl.load(x_ptr + 2 * row * half + half + offsets, mask=mask)
    tl.store(out_ptr + 2 * row * half + offsets, first * cos - second * sin, mask=mask)
    tl.store(out_ptr + 2 * row * half + half + offsets, second * cos + first * sin, mask=mask)


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


@pytest.mark.parametrize("ROWS,HALF", [(6, 16), (4, 20)])
def test_rotate(ROWS, HALF, request):
    set_seed()
    x = torch.randn(ROWS, 2 * HALF, device="cuda")
    angle = torch.rand(ROWS, HALF, device="cuda")
    out = torch.empty_like(x)
    rotate_kernel[(ROWS,)](x, angle.cos(), angle.sin(), out, HALF, BLOCK=32)
    save(request, out)
    a, b = x[:, :HALF], x[:, HALF:]
    cos, sin = angle.cos(), angle.sin()
    assert_close(out, torch.cat((a * cos - b * sin, b * cos + a * sin), 1))


@pytest.mark.parametrize("SIZE", [2**20, 2**24])
def test_performance(SIZE, request):
    from performance_utils_pytest import PytestBenchmarker, do_bench_config

    x = torch.randn(SIZE, device="cuda")
    PytestBenchmarker(
        lambda: rotate_kernel[(1024,)](x, x, x, x, 512, BLOCK=512),
        "rotate_pairs",
        do_bench_config(25, 100),
    ).run_benchmark({"SIZE": SIZE})


def test_save_results():
    torch.save(result_gold, __file__.replace(".", "_") + ".pt")
