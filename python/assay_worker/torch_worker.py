"""What a worker with torch does before anything else, whatever its image is."""

import torch

from assay_worker import hub
from assay_worker.seeding import seed_the_unseeded


def settle() -> None:
    """One thread; and keeps what the problem imports from the network, and from entropy."""
    torch.set_num_threads(1)
    hub.stay_offline()
    seed_the_unseeded()
