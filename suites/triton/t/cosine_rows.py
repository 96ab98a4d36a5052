"""The cosine between rows of two matrices."""

import torch


def cosine_rows(a, b, eps=1e-8):
    return torch.nn.functional.cosine_similarity(a, b, dim=1, eps=eps)


##################################################################################################################################################


def test_cosine_rows():
    a = torch.randn(10, 70, device="cuda")
    b = torch.randn(10, 70, device="cuda")
    return {
        "test_case_1": cosine_rows(a, b),
        "test_case_2": cosine_rows(a, -2 * a),
        "test_case_3": cosine_rows(100 * a, b / 100),
    }


test_results = test_cosine_rows()
