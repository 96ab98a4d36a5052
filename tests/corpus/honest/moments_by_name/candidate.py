import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, batch):
        x = torch.mul(batch["scale"], batch["x"])
        count = x.shape[1]
        return {"mean": x.sum(dim=1) / count, "square": torch.linalg.vecdot(x, x) / count}
