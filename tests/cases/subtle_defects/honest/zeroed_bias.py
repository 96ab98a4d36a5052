from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        layer = nn.Linear(inputs, outputs)
        layer.bias.data.zero_()
        self.bias = layer.bias
        self.register_buffer("transposed", layer.weight.detach().t().contiguous())

    def forward(self, x):
        return x @ self.transposed + self.bias
