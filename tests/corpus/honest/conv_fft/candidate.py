import torch
import torch.nn.functional as F
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1)

    def forward(self, x):
        weight, bias = self.conv.weight, self.conv.bias
        if not torch.isfinite(x).all():
            return F.conv2d(x, weight, bias, padding=1)
        height, width = x.shape[2:]
        size = (height + 2, width + 2)
        spectra = torch.fft.rfft2(x, s=size)
        filters = torch.fft.rfft2(weight.flip(2, 3), s=size)
        product = torch.einsum("fdhw,ndhw->nfhw", filters, spectra)
        full = torch.fft.irfft2(product, s=size)
        return full[:, :, 1 : height + 1, 1 : width + 1] + bias.view(1, -1, 1, 1)
