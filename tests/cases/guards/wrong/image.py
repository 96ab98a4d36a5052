import torch


class ModelNew(torch.nn.Module):
    """0 times infinity is NaN."""

    def forward(self, a, b):
        image = torch.nn.functional.conv2d(a, b, padding=1)
        return image * (image > 0)
