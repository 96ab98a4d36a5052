"""Tuned, with a kernel that calls another, and a first setting that no device has room for."""

import torch
import triton
import triton.language as tl


@triton.jit
def relu(x):
    return tl.maximum(x, 0.0)


@triton.autotune(
    configs=[
        triton.Config({"TILE": 16, "DEPTH": 2048}, num_stages=4, num_warps=8),
        triton.Config({"TILE": 32, "DEPTH": 16}, num_warps=2),
    ],
    key=["m", "n", "k"],
)
@triton.heuristics({"EVEN": lambda given: given["k"] % given["DEPTH"] == 0})
@triton.jit
def matmul_relu(a, b, out, m, n, k, TILE: tl.constexpr, DEPTH: tl.constexpr, EVEN: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)[:, None]
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)[None, :]
    depth = tl.arange(0, DEPTH)
    sums = tl.zeros((TILE, TILE), dtype=tl.float32)
    for begin in range(0, k, DEPTH):
        at = begin + depth
        inside = depth < DEPTH if EVEN else at < k
        left = tl.load(a + rows * k + at[None, :], mask=(rows < m) & inside[None, :], other=0.0)
        right = tl.load(b + at[:, None] * n + columns, mask=inside[:, None] & (columns < n), other=0.0)
        sums = tl.dot(left, right, sums, input_precision="ieee")
    tl.store(out + rows * n + columns, relu(sums), mask=(rows < m) & (columns < n))


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        (m, k), n = a.shape, b.shape[1]
        out = a.new_empty(m, n)
        grid = lambda chosen: (triton.cdiv(m, chosen["TILE"]), triton.cdiv(n, chosen["TILE"]))
        matmul_relu[grid](a.contiguous().cuda(), b.contiguous(), out, m, n, k)
        return out
