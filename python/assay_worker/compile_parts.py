"""What the compilers of a problem's own model share: compilers.py has them."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from assay_worker.failure import Explained

Call = Callable[..., Any]

# What a compiler's parts take, in ns of wall time: "export_ns", from the model to a program, and
# "compile_ns", from that to what is called. Nothing of a call itself.
Costs = dict[str, int]


class NotTaken(Explained):
    """The compiler does not take such a model."""


@contextmanager
def counted(costs: Costs, part: str) -> Iterator[None]:
    begin = time.perf_counter_ns()
    yield
    costs[part] = costs.get(part, 0) + time.perf_counter_ns() - begin


def exported(model: torch.nn.Module, arguments: Sequence[Any]) -> torch.export.ExportedProgram:
    with torch.no_grad():
        return torch.export.export(model, tuple(arguments), strict=False)


def require_functional(program: torch.export.ExportedProgram) -> None:
    """Of one in which nothing is done in place any more."""
    if program.graph_signature.user_inputs_to_mutate:
        raise NotTaken("it changes an argument of its call")


class Results:
    """What a model returns, without the tensors: containers, None and numbers of Python's, which
    are the same in each call.
    """

    def __init__(self) -> None:
        self.form: list[Any] = []  # leaves, and their tree

    def take_apart(self, returned: Any) -> list[Tensor]:
        """Those that are tensors, which are all that a compiler has."""
        leaves, tree = pytree.tree_flatten(returned)
        self.form = [[None if isinstance(x, Tensor) else (x,) for x in leaves], tree]
        return [each for each in leaves if isinstance(each, Tensor)]

    def around(self, tensors: Sequence[Any]) -> Any:
        """What the model returns, with these tensors."""
        others, tree = self.form
        rest = iter(tensors)
        return pytree.tree_unflatten([x[0] if x else next(rest) for x in others], tree)


class OnlyTensors(torch.nn.Module):  # type: ignore[misc]
    """A model that returns tensors alone. To export it says what it returns beside them."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model
        self.results = Results()

    def forward(self, *arguments: Any) -> list[Tensor]:
        return self.results.take_apart(self.model(*arguments))
