"""A scaled vector, held between two bounds."""

import torch
import triton
import triton.language as tl


@triton.jit
def clamp_scale_kernel(x_ptr, out_ptr, n, scale, low, high, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask) * scale
    tl.store(out_ptr + offsets, tl.minimum(tl.maximum(x, low), high), mask=mask)


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


@pytest.mark.parametrize("SIZE,scale", [(300, 2.0), (128, 0.5)])
def test_clamp_scale(SIZE, scale, request):
    set_seed()
    x = torch.randn(SIZE, device="cuda")
    out = torch.empty_like(x)
    clamp_scale_kernel[(triton.cdiv(SIZE, 128),)](x, out, SIZE, scale, -1.0, 0.75, BLOCK=128)
    save(request, out)
    assert_close(out, (x * scale).clamp(-1.0, 0.75))


@pytest.mark.parametrize("SIZE", [2**20, 2**24])
def test_performance(SIZE, request):
    from performance_utils_pytest import PytestBenchmarker, do_bench_config

    x = torch.randn(SIZE, device="cuda")
    PytestBenchmarker(
        lambda: clamp_scale_kernel[(SIZE // 1024,)](x, x, SIZE, 2.0, -1.0, 1.0, BLOCK=1024),
        "clamp_scale",
        do_bench_config(25, 100),
    ).run_benchmark({"SIZE": SIZE})


def test_save_results():
    torch.save(result_gold, __file__.replace(".", "_") + ".pt")
