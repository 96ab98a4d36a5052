"""The image "suite_compile": tests of a suite, whose kernels are compiled and not run."""

import torch

from assay_worker import suite_tests
from assay_worker.zygote import Image


def warm_up() -> None:
    """Triton reads what it is to do when it is imported: here that is not known yet."""
    torch.nn.Linear(4, 4)(torch.rand(2, 4)).sum().item()


IMAGE = Image("suite_compile", warm_up, suite_tests.work)
