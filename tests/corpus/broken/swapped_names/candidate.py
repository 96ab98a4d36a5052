from torch import nn


class ModelNew(nn.Module):
    def forward(self, batch):
        x = batch["x"] * batch["scale"]
        return {"mean": (x * x).mean(dim=1), "square": x.mean(dim=1)}
