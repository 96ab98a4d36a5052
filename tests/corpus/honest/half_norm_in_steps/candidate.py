import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, w, b):
        centred = x - x.mean(-1, keepdim=True)
        variance = centred.float().square().mean(-1, keepdim=True)
        return (centred * torch.rsqrt(variance + 1e-5)).half() * w + b
