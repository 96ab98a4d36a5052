"""Writes problems with small inputs, as many as asked for: what the grid's benches run on.

Each kind below is one problem; its sizes vary with the number, so that no two are alike and nothing
is answered from a cache.
"""

from pathlib import Path

# Bodies of `__init__` and `forward`, and the inputs. N is a size between 16 and 128.
KINDS: dict[str, tuple[str, str, str]] = {
    "matmul": ("", "x @ y", "torch.rand(N, 64), torch.rand(64, N)"),
    "softmax": ("", "torch.softmax(x, 1)", "torch.rand(16, N)"),
    "layer_norm": ("self.norm = nn.LayerNorm(N)", "self.norm(x)", "torch.rand(16, N)"),
    "linear_gelu": ("self.fc = nn.Linear(N, 32)", "F.gelu(self.fc(x))", "torch.rand(16, N)"),
    "conv_relu": (
        "self.conv = nn.Conv2d(3, 8, 3)",
        "F.relu(self.conv(x))",
        "torch.rand(1, 3, N, N)",
    ),
    "conv_norm": (
        "self.conv = nn.Conv2d(4, 8, 3, padding=1); self.norm = nn.BatchNorm2d(8)",
        "F.relu(self.norm(self.conv(x)))",
        "torch.rand(2, 4, N, N)",
    ),
    "pool": ("", "F.max_pool2d(x, 2)", "torch.rand(2, 4, 2 * N, 2 * N)"),
    "sum": ("", "x.sum(1)", "torch.rand(32, 4 * N)"),
    "mean_max": ("", "x.mean(0) + x.amax(0)", "torch.rand(32, N)"),
    "mlp": (
        "self.a = nn.Linear(N, 64); self.b = nn.Linear(64, 16)",
        "self.b(torch.tanh(self.a(x)))",
        "torch.rand(8, N)",
    ),
    "attention": (
        "self.qkv = nn.Linear(32, 96)",
        "F.scaled_dot_product_attention(*self.qkv(x).chunk(3, -1))",
        "torch.rand(2, N, 32)",
    ),
    "swish": ("", "x * torch.sigmoid(x)", "torch.rand(64, N)"),
    "mse": ("", "((x - y) ** 2).mean()", "torch.rand(16, N), torch.rand(16, N)"),
    "transpose_add": ("", "x.t() + y", "torch.rand(N, 24), torch.rand(24, N)"),
    "batched": ("", "torch.bmm(x, y)", "torch.rand(4, N, 16), torch.rand(4, 16, N)"),
    "group_norm": ("self.norm = nn.GroupNorm(4, 16)", "self.norm(x)", "torch.rand(2, 16, N)"),
    "embedding": (
        "self.table = nn.Embedding(100, N)",
        "self.table(x).sum(1)",
        "torch.randint(0, 100, (4, 12))",
    ),
    "depthwise": (
        "self.conv = nn.Conv2d(8, 8, 3, groups=8)",
        "F.hardswish(self.conv(x))",
        "torch.rand(1, 8, N, N)",
    ),
    "residual": (
        "self.a = nn.Linear(N, N); self.norm = nn.LayerNorm(N)",
        "self.norm(x + F.relu(self.a(x)))",
        "torch.rand(8, N)",
    ),
    "clamp_scale": ("", "torch.clamp(x * 2.5 - 1, 0, 1)", "torch.rand(64, N)"),
}

TEMPLATE = """import torch
import torch.nn as nn
import torch.nn.functional as F

N = {size}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init}

    def forward(self, {arguments}):
        return {forward}


def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return []
"""


def write(folder: Path, count: int) -> None:
    """Writes `count` problems into `folder`, which is made."""
    folder.mkdir(parents=True)
    kinds = list(KINDS.items())
    for number in range(count):
        name, (init, forward, inputs) = kinds[number % len(kinds)]
        text = TEMPLATE.format(
            size=16 + 8 * (number // len(kinds)),
            init=init or "pass",
            arguments="x, y" if inputs.count("torch.") == 2 else "x",
            forward=forward,
            inputs=inputs,
        )
        (folder / f"{number:03}_{name}.py").write_text(text)
