import torch
import torch.nn.functional as F
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.to_input = torch.tensor([[1.0, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]])
        self.to_filter = torch.tensor([[1.0, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]])
        self.to_output = torch.tensor([[1.0, 1, 1, 0], [0, 1, -1, -1]])

    def forward(self, x):
        weight, bias = self.conv.weight, self.conv.bias
        if not torch.isfinite(x).all():  # a tile would spread it
            return F.conv2d(x, weight, bias, padding=1)
        height, width = x.shape[2:]
        down, right = height % 2, width % 2
        padded = F.pad(x, (1, 1 + right, 1, 1 + down))
        tiles = padded.unfold(2, 4, 2).unfold(3, 4, 2)
        filters = self.to_filter @ weight @ self.to_filter.t()
        spread = self.to_input @ tiles @ self.to_input.t()
        product = torch.einsum("fdab,ndhwab->nfhwab", filters, spread)
        out = self.to_output @ product @ self.to_output.t()
        count, outputs = out.shape[:2]
        image = out.permute(0, 1, 2, 4, 3, 5).reshape(count, outputs, height + down, width + right)
        return image[:, :, :height, :width] + bias.view(1, -1, 1, 1)
