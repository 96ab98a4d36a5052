import torch

ROWS, INNER, COLUMNS = 512, 512, 256
# % names hidden


# % functions
class Model(torch.nn.Module):
    # % methods
    def forward(self, x, w):
        hidden = x @ w
        return torch.relu(hidden)

    # % methods


# % functions
def get_inputs():
    return [torch.randn(ROWS, INNER), torch.randn(INNER, COLUMNS)]
