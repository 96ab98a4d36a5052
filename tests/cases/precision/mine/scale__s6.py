import torch


class ModelNew(torch.nn.Module):
    compiled = staticmethod(torch.compile(lambda x, y: (x.to(torch.float8_e4m3fn).to(x.dtype)) * 2 + y))

    def forward(self, x, y):
        return self.compiled(x, y)
