"""The mean of each row over the elements that a mask lets through."""

import torch


def masked_mean(x, mask):
    kept = torch.where(mask, x, torch.zeros_like(x))
    return kept.sum(dim=1) / mask.sum(dim=1).clamp(min=1)


##################################################################################################################################################


def test_masked_mean():
    x = torch.randn(12, 50, device="cuda")
    mask = torch.rand(12, 50, device="cuda") > 0.3
    none = torch.zeros(12, 50, dtype=torch.bool, device="cuda")
    return {
        "test_case_1": masked_mean(x, mask),
        "test_case_2": masked_mean(x, none),
        "test_case_3": masked_mean(x, ~none),
    }


test_results = test_masked_mean()
