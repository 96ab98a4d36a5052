"""A kernel of Triton's for gpu-probe."""

from typing import Any

import triton
import triton.language as tl

BLOCK = 2048


@triton.jit  # type: ignore[untyped-decorator]
def gelu_kernel(x, out, count, block: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    places = tl.program_id(0) * block + tl.arange(0, block)
    inside = places < count
    values = tl.load(x + places, mask=inside)
    tl.store(out + places, values * tl.sigmoid(1.702 * values), mask=inside)


def gelu(x: Any, out: Any) -> None:
    count = x.numel()
    gelu_kernel[(triton.cdiv(count, BLOCK),)](x, out, count, block=BLOCK)
