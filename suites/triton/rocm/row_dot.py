"""Products of rows of two matrices, one number each."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_dot_kernel(a_ptr, b_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    a = tl.load(a_ptr + row * columns + offsets, mask=mask, other=0.0)
    b = tl.load(b_ptr + row * columns + offsets, mask=mask, other=0.0)
    tl.store(out_ptr + row, tl.sum(a * b, axis=0))


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


@pytest.mark.parametrize("ROWS,COLUMNS,BLOCK", [(16, 64, 64), (5, 100, 128)])
def test_row_dot(ROWS, COLUMNS, BLOCK, request):
    set_seed()
    a = torch.randn(ROWS, COLUMNS, device="cuda")
    b = torch.randn(ROWS, COLUMNS, device="cuda")
    out = torch.empty(ROWS, device="cuda")
    row_dot_kernel[(ROWS,)](a, b, out, COLUMNS, BLOCK=BLOCK)
    save(request, out)
    assert_close(out, (a * b).sum(1), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("SIZE", [2**20, 2**24])
def test_performance(SIZE, request):
    from performance_utils_pytest import PytestBenchmarker, do_bench_config

    x = torch.randn(SIZE, device="cuda")
    PytestBenchmarker(
        lambda: row_dot_kernel[(1024,)](x, x, x, 1024, BLOCK=1024),
        "row_dot",
        do_bench_config(25, 100),
    ).run_benchmark({"SIZE": SIZE})


def test_save_results():
    torch.save(result_gold, __file__.replace(".", "_") + ".pt")
