import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        count, mean, squares = 0, torch.zeros(x.shape[0]), torch.zeros(x.shape[0])
        for chunk in x.split(128, dim=1):
            size = chunk.shape[1]
            own_mean = chunk.mean(dim=1)
            own_squares = (chunk - own_mean.unsqueeze(1)).square().sum(dim=1)
            delta = own_mean - mean
            squares += own_squares + delta.square() * (count * size / (count + size))
            mean += delta * (size / (count + size))
            count += size
        return squares / count
