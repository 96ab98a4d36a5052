"""Takes a device that is written into a problem for the CPU."""

from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from assay_worker.trail import Trail

WORD = "device_ignored"  # of the closed list in docs/formats.md

# The program that is exported has no device: where it runs is the target's business.
_OTHERS = frozenset(("cuda", "hip", "xpu", "mps", "npu", "hpu", "xla", "mtia", "privateuseone"))
_STAYS = frozenset((torch.Tensor.cuda, torch.Tensor.xpu, torch.Tensor.pin_memory))


class OnCpu(TorchFunctionMode):  # type: ignore[misc]
    """While in force, tensors asked for on another device are made, or stay, on the CPU."""

    def __init__(self, trail: Trail) -> None:
        super().__init__()
        self._trail = trail

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in _STAYS:
            self._trail.fell_back(WORD)
            return args[0]
        if _is_elsewhere(kwargs.get("device")):
            self._trail.fell_back(WORD)
            kwargs = {**kwargs, "device": torch.device("cpu")}
        if kwargs.get("pin_memory"):  # needs a device to be pinned for
            self._trail.fell_back(WORD)
            kwargs = {**kwargs, "pin_memory": False}
        if func is torch.Tensor.to and len(args) > 1 and _is_elsewhere(args[1]):
            self._trail.fell_back(WORD)
            args = (args[0], torch.device("cpu"), *args[2:])
        return func(*args, **kwargs)


def ignore_default_device(trail: Trail) -> None:
    """Undoes a torch.set_default_device that the problem's file did when it was loaded."""
    try:
        default = torch.get_default_device()
    except (RuntimeError, AssertionError):  # it asks the device, which is not there
        default = torch.device("cuda")
    if _is_elsewhere(default):
        trail.fell_back(WORD)
        torch.set_default_device("cpu")


def _is_elsewhere(device: Any) -> bool:
    if isinstance(device, torch.device):
        return device.type in _OTHERS
    if isinstance(device, str):
        return device.partition(":")[0] in _OTHERS
    # A number alone is the index of whatever accelerator there is.
    return type(device) is int
