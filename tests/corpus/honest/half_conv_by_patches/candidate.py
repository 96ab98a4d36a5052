import torch
from torch.nn import functional as F


class ModelNew(torch.nn.Module):
    def forward(self, x, w, b):
        patches = F.unfold(x.float(), 3, padding=1)
        image = w.float().flatten(1) @ patches + b.float()[:, None]
        return image.view(x.shape[0], -1, *x.shape[2:]).half()
