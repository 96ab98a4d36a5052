"""A matrix, its rows as columns."""

import torch
import triton
import triton.language as tl


@triton.jit
def transpose_kernel(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    lines = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    places = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = (lines[:, None] < rows) & (places[None, :] < columns)
    x = tl.load(x_ptr + lines[:, None] * columns + places[None, :], mask=mask)
    tl.store(out_ptr + places[None, :] * rows + lines[:, None], x, mask=mask)


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


@pytest.mark.parametrize("ROWS,COLUMNS", [(32, 32), (20, 50)])
def test_transpose(ROWS, COLUMNS, request):
    set_seed()
    x = torch.randn(ROWS, COLUMNS, device="cuda")
    out = torch.empty(COLUMNS, ROWS, device="cuda")
    grid = (triton.cdiv(ROWS, 16), triton.cdiv(COLUMNS, 16))
    transpose_kernel[grid](x, out, ROWS, COLUMNS, BLOCK=16)
    save(request, out)
    assert_close(out, x.T.contiguous())


@pytest.mark.parametrize("SIZE", [2**20, 2**24])
def test_performance(SIZE, request):
    from performance_utils_pytest import PytestBenchmarker, do_bench_config

    x = torch.randn(SIZE, device="cuda")
    PytestBenchmarker(
        lambda: transpose_kernel[(64, 64)](x, x, 1024, 1024, BLOCK=16),
        "transpose",
        do_bench_config(25, 100),
    ).run_benchmark({"SIZE": SIZE})


def test_save_results():
    torch.save(result_gold, __file__.replace(".", "_") + ".pt")
