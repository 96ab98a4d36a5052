"""Sums of a matrix's columns."""

import torch
import triton
import triton.language as tl


@triton.jit
def column_sums_kernel(x_ptr, out_ptr, rows, columns, BR: tl.constexpr, BC: tl.constexpr):
    places = tl.program_id(0) * BC + tl.arange(0, BC)
    total = tl.zeros((BC,), dtype=tl.float32)
    for begin in range(0, rows, BR):
        lines = begin + tl.arange(0, BR)
        mask = (lines[:, None] < rows) & (places[None, :] < columns)
        x = tl.load(x_ptr + lines[:, None] * columns + places[None, :], mask=mask, other=0.0)
        total += tl.sum(x, axis=0)
    tl.store(out_ptr + places, total, mask=places < columns)


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


@pytest.mark.parametrize("ROWS,COLUMNS", [(64, 32), (50, 45)])
def test_column_sums(ROWS, COLUMNS, request):
    set_seed()
    x = torch.randn(ROWS, COLUMNS, device="cuda")
    out = torch.empty(COLUMNS, device="cuda")
    column_sums_kernel[(triton.cdiv(COLUMNS, 16),)](x, out, ROWS, COLUMNS, BR=16, BC=16)
    save(request, out)
    assert_close(out, x.sum(0), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("SIZE", [2**20, 2**24])
def test_performance(SIZE, request):
    from performance_utils_pytest import PytestBenchmarker, do_bench_config

    x = torch.randn(SIZE, device="cuda")
    PytestBenchmarker(
        lambda: column_sums_kernel[(64,)](x, x, SIZE // 1024, 1024, BR=16, BC=16),
        "column_sums",
        do_bench_config(25, 100),
    ).run_benchmark({"SIZE": SIZE})


def test_save_results():
    torch.save(result_gold, __file__.replace(".", "_") + ".pt")
