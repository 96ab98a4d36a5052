"""The machine's cards, hidden from torch until a candidate is called on one.

Torch asks for them in many places, when it traces or is imported for extensions, and opens the
driver or its management library to know. That starts a thread, and no fork of who has done so can
use a card. To be imported before anything that asks.
"""

import torch
from torch.utils import _triton

# What is asked, and the answer where there is no card.
_ANSWERS = (
    (torch.cuda, "is_available", False),
    (torch.cuda, "device_count", 0),
    (torch._C, "_cuda_getDeviceCount", 0),
    (torch._C, "_ensureCUDADeviceGuardSet", None),
)
_asked = [(place, name, getattr(place, name, None), answer) for place, name, answer in _ANSWERS]
for _place, _name, _real, _answer in _asked:
    if _real is not None:
        setattr(_place, _name, lambda answer=_answer: answer)


def show() -> None:
    """In a worker that is to use a card."""
    for place, name, real, _ in _asked:
        if real is not None:
            setattr(place, name, real)
    for each in vars(_triton).values():  # what they have found is kept
        if hasattr(each, "cache_clear"):
            each.cache_clear()
