"""One small kernel in Triton's interpreter: what the first launch loads is loaded once for all."""

import torch
import triton
import triton.language as tl


@triton.jit  # type: ignore[untyped-decorator]
def _kernel(x, y, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + i, mask=i < n, other=0.0)
    square = tl.reshape(values, (16, 16))
    product = tl.dot(square, square, input_precision="ieee")
    tl.store(y + i, tl.exp(values) + tl.sum(product), mask=i < n)


def launch() -> None:
    """Runs it."""
    x = torch.rand(200)
    _kernel[(1,)](x, torch.empty_like(x), 200, BLOCK=256)
