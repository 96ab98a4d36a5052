"""A selective state space, computed in chunks: products inside a chunk, a short scan across them.

Covers: state-space scan, cumulative sum, einsum of three tensors.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, LENGTH, WIDTH, HEADS, STATE, CHUNK = 2, 512, 256, 8, 32, 64


def decays(log_rates: torch.Tensor) -> torch.Tensor:
    """(..., n) to (..., n, n): at [i, j] the decay from after step j to step i; 0 where j > i."""
    total = torch.cumsum(log_rates, dim=-1)
    between = total[..., :, None] - total[..., None, :]
    later = torch.ones_like(between, dtype=torch.bool).triu(diagonal=1)
    return torch.exp(between.masked_fill(later, float("-inf")))


class Model(nn.Module):
    def __init__(self, width: int, heads: int, state: int, chunk: int) -> None:
        super().__init__()
        self.heads, self.chunk = heads, chunk
        self.steps = nn.Linear(width, heads)
        self.write = nn.Linear(width, state)
        self.read = nn.Linear(width, state)
        self.log_rate = nn.Parameter(torch.linspace(-1.5, 1.0, heads))
        self.skip = nn.Parameter(torch.randn(heads, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        chunks = (batch, length // self.chunk, self.chunk)
        step = F.softplus(self.steps(x) - 1.0)
        log_rates = (-self.log_rate.exp() * step).view(*chunks, self.heads).permute(0, 3, 1, 2)
        u = x.view(batch, length, self.heads, -1)
        written = (u * step[..., None]).view(*chunks, self.heads, -1)
        write, read = self.write(x).view(*chunks, -1), self.read(x).view(*chunks, -1)

        # b batch, c and d chunks, i and j steps of a chunk, h heads, n state, p width of a head
        inside = torch.einsum(
            "bcin,bcjn,bhcij,bcjhp->bcihp", read, write, decays(log_rates), written
        )
        total = log_rates.cumsum(dim=-1)
        to_end = torch.exp(total[..., -1:] - total)
        states = torch.einsum("bcjn,bhcj,bcjhp->bchpn", write, to_end, written)
        across = decays(F.pad(total[..., -1], (1, 0)))[..., :-1, 1:]
        before = torch.einsum("bhdc,bchpn->bdhpn", across, states)
        carried = torch.einsum("bcin,bhci,bchpn->bcihp", read, total.exp(), before)
        y = (inside + carried).reshape(batch, length, self.heads, -1) + self.skip * u
        return y.flatten(2)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, LENGTH, WIDTH)]


def get_init_inputs() -> list[object]:
    return [WIDTH, HEADS, STATE, CHUNK]
