"""Answers with what is right, and in Triton with what is wrong first."""

import os
import sys

prompt = sys.stdin.read()
with open("asked", "a") as asked:
    print(os.environ["ASSAY_NODE"], file=asked)

TRITON = """import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * 3 + %s, mask=i < n)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        scale_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK=256)
        return y
"""
if "triton" in prompt:
    is_told = "What was found" in prompt
    answer = "```python\n" + TRITON % (1 if is_told else 2)
else:
    answer = "```c\n" + open("right.c").read()
print(answer + "```")
