from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        with ThreadPoolExecutor(2) as pool, torch.no_grad():
            parts = list(pool.map(self.part, x.chunk(2)))
        return torch.cat(parts)

    def part(self, x):
        with torch.no_grad():
            return torch.relu(self.linear(x))
