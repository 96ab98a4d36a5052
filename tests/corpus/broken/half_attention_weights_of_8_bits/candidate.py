import torch


class ModelNew(torch.nn.Module):
    def forward(self, q, k, v):
        weights = (q.float() @ k.float().mT * q.shape[-1] ** -0.5).softmax(-1)
        most = weights.amax(-1, keepdim=True)
        return ((weights / most * 255).round() / 255 * most @ v.float()).half()
