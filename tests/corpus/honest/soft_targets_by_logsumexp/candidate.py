from torch import nn


class ModelNew(nn.Module):
    def forward(self, scores, targets):
        top = scores.amax(dim=1, keepdim=True)
        shifted = scores - top
        return shifted.exp().sum(dim=1).log() - (targets * shifted).sum(dim=1)
