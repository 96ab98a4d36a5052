import torch

table = torch.zeros(100 << 28)
