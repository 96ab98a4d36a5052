"""A problem's results computed on a card, as torch computes them there.

A candidate that is called on a card is held against torch on that card, and in double neither takes
the time that a CPU would. What cannot be done there, whatever the reason, the CPU does.
"""

import copy
import gc
from contextlib import suppress

import torch
from torch import nn

from assay_worker import hidden_cards, reference
from assay_worker.card import settle
from assay_worker.failure import Unsupported
from assay_worker.model_state import held, moved
from assay_worker.protocol import Message
from assay_worker.reference import Callee
from assay_worker.settings import Settings
from assay_worker.shared_memory import Memories

# What torch keeps of the card's memory between requests: candidates need the rest.
_KEPT_BYTES = 1 << 30
# Asked for once more, to be compared with what was computed before: by whoever computed that, and
# what is asked of single operations is asked on the CPU.
_ON_CPU = ("keys", "from_picks", "shake", "spread", "integers")
# The part of the card's free memory that its models may take: the rest is the candidate's.
_PART = 8


def _require_room(model: nn.Module) -> None:
    """Raises Unsupported where the model, and once more in double, are too large for the card."""
    needed = 3 * sum(each.tensor.nbytes for each in held(model))
    free, _ = torch.cuda.mem_get_info()
    if needed > free / _PART:
        raise Unsupported(f"{needed} bytes for models there, and {free} are free")


class OnCard:
    """Copies of one model on the card, at the problem's precision and in double."""

    def __init__(self, model: nn.Module, settings: Settings, device: str = "cuda") -> None:
        """`device` is another one than a card's in tests."""
        self._settings, self._device = settings, device
        self._model: nn.Module | None = model  # until it is there
        self._eager: Callee | None = None
        self._double: Callee | None = None
        self._why_not = ""  # once it has been tried in vain

    def compute(self, structure: object, request: Message, memories: Memories) -> Message | None:
        """As reference.compute; None: the CPU is to do it."""
        if self._why_not or any(request.get(word) for word in _ON_CPU):
            return None
        try:
            double = self._there(request.get("double", True))
            assert self._eager
            computed = reference.compute(
                self._eager, double, structure, self._settings, request, memories, self._device
            )
        # No card that torch can use, no memory, an operation that is not there in double, or what
        # breaks on the CPU as well, which then is a finding.
        except Exception as why:
            self._why_not = repr(why)[:300]
        if self._why_not:  # behind the exception, which holds on to what was computed
            self._give_up()
            return None
        if self._device == "cuda" and torch.cuda.memory_reserved() > _KEPT_BYTES:
            torch.cuda.empty_cache()
        return {**computed, "computed_on": "card"}

    def instead(self) -> str:
        """Where it is computed that is not computed here, and why."""
        return f"cpu: {self._why_not}" if self._why_not else "cpu"

    def _there(self, wants_double: bool) -> Callee | None:
        if self._model is not None:
            if self._device == "cuda":
                hidden_cards.show()
                settle()
                torch.cuda.init()  # before generators of random numbers are looked at
                _require_room(self._model)
            self._eager = Callee(moved(copy.deepcopy(self._model), self._device))
            self._model = None
        assert self._eager
        if self._double is None and wants_double:
            self._double = reference.doubled(self._eager.model, self._settings.path)
        return self._double if wants_double else None

    def _give_up(self) -> None:
        self._model = self._eager = self._double = None
        gc.collect()
        if self._device == "cuda" and torch.cuda.is_initialized():
            with suppress(RuntimeError):  # after an error that stays, nothing works there
                torch.cuda.empty_cache()
