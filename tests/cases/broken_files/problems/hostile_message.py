import torch

raise RuntimeError("\x1b[2J\x1b]0;title\x07 | a cell <b>bold</b> `code`\r\nnext line")


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    return [torch.rand(8)]
