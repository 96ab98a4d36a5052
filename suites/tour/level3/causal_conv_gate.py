"""A Mamba-like outer layer: a short causal convolution, a decayed sum by logarithms, a gate.

Covers: state-space scan, cumulative sum, depthwise convolution.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, LENGTH, WIDTH, INNER, WINDOW = 2, 256, 192, 384, 4


class Model(nn.Module):
    def __init__(self, width: int, inner: int, window: int) -> None:
        super().__init__()
        self.into = nn.Linear(width, 2 * inner)
        self.conv = nn.Conv1d(inner, inner, window, padding=window - 1, groups=inner)
        self.gates = nn.Linear(inner, 2 * inner)
        self.out_of = nn.Linear(inner, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[1]
        y, gate = self.into(x).chunk(2, dim=-1)
        y = F.silu(self.conv(y.transpose(1, 2))[..., :length].transpose(1, 2))
        keep, take = self.gates(y).chunk(2, dim=-1)
        # h[t] = k[t] h[t-1] + (1 - k[t]) exp(take[t]), all positive, so as a sum of logarithms.
        kept = F.logsigmoid(keep).cumsum(dim=1)
        log_state = torch.logcumsumexp(F.logsigmoid(-keep) + take - kept, dim=1) + kept
        return x + self.out_of(log_state.exp() * F.silu(gate))


def get_inputs() -> list[torch.Tensor]:
    return [2.0 * torch.randn(BATCH, LENGTH, WIDTH)]


def get_init_inputs() -> list[object]:
    return [WIDTH, INNER, WINDOW]
