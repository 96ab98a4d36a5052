"""Asks for a GPU, and does without once it is told."""

import sys

is_told = "What was found" in sys.stdin.read()
print(f"""```python
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        {"" if is_told else "torch.cuda.synchronize()"}
        return x * 3 + 1
```""")
