import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, first, second):
        hidden = x @ first.t()
        hidden = hidden * 0.5 * (1 + torch.erf(hidden * 0.5**0.5))
        return hidden @ second.t()
