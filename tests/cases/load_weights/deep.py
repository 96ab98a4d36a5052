import torch

def get_model():
    return torch.nn.Sequential(torch.nn.Embedding(50, 8), torch.nn.Linear(8, 4), torch.nn.Linear(4, 4))

def get_dummy_input():
    return torch.randint(0, 50, (2, 6))
