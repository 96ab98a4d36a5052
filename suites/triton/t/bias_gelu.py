"""GELU by its exact formula, of x plus a bias."""

import torch


def bias_gelu(x, bias):
    return torch.nn.functional.gelu(x + bias)


##################################################################################################################################################


def test_bias_gelu():
    x = torch.randn(16, 40, device="cuda")
    bias = torch.randn(40, device="cuda")
    return {
        "test_case_1": bias_gelu(x, bias),
        "test_case_2": bias_gelu(x[:1], 3 * bias),
        "test_case_3": bias_gelu(10 * x, torch.zeros_like(bias)),
    }


test_results = test_bias_gelu()
