"""Layer normalisation of x plus a residual."""

import torch


def layer_norm_residual(x, residual, weight, bias, eps=1e-5):
    return torch.nn.functional.layer_norm(x + residual, (x.shape[-1],), weight, bias, eps)


##################################################################################################################################################


def test_layer_norm_residual():
    x = torch.randn(6, 80, device="cuda")
    residual = torch.randn(6, 80, device="cuda")
    weight, bias = torch.randn(80, device="cuda"), torch.randn(80, device="cuda")
    return {
        "test_case_1": layer_norm_residual(x, residual, weight, bias),
        "test_case_2": layer_norm_residual(x + 50, residual, weight, bias),
        "test_case_3": layer_norm_residual(x / 100, residual / 100, weight, bias, eps=1e-3),
    }


test_results = test_layer_norm_residual()
