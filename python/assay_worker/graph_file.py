"""Files with data as problems: a graph becomes a torch module, its input types become inputs.

A source is one where the judge has put a line with the sizes of named dimensions in front of the
file's bytes (src/workload/graph_file.cc). What a format needs is loaded when such a file comes.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from assay_worker.failure import Explained

# What a source begins with, and the module that has `read` for it.
_FORMATS = {
    b"# assay: an ONNX file, ": "assay_worker.onnx_file",
    b"# assay: an ONNX file and its data, ": "assay_worker.onnx_data",
    b"# assay: an exported program, ": "assay_worker.pt2_file",
    b"# assay: inputs and results, ": "assay_worker.saved_results",
    b"# assay: a program alone, ": "assay_worker.lone_program",
}


class BadGraphFile(Explained):
    """The file cannot be taken for a problem."""


@dataclass(frozen=True)
class GraphInput:
    """What the graph takes."""

    name: str
    dtype: torch.dtype
    shape: Sequence[int]
    below: int = 2  # of whole numbers

    def draw(self) -> Tensor:
        if self.dtype.is_floating_point:
            return torch.randn(self.shape, dtype=self.dtype)
        return torch.randint(0, self.below, self.shape, dtype=self.dtype)


@dataclass(frozen=True)
class GraphProblem:
    """What a file gives: a class without arguments, and what its `forward` takes."""

    model: type[nn.Module]
    inputs: Sequence[GraphInput]
    domains: Sequence[str] = ()  # of the inputs; empty: they are not said


Reader = Callable[[bytes, dict[str, int]], GraphProblem]


def is_graph(source: bytes) -> bool:
    return any(source.startswith(mark) for mark in _FORMATS)


def fill(module: ModuleType, source: bytes) -> None:
    """Gives the module what a problem has. Raises BadGraphFile, or another that is Explained."""
    first, _, content = source.partition(b"\n")
    mark = next(each for each in _FORMATS if first.startswith(each))
    read: Reader = import_module(_FORMATS[mark]).read
    problem = read(content, json.loads(first[len(mark) :]))
    if not problem.inputs:
        raise BadGraphFile("it has no inputs, so there is nothing to compute")

    def get_inputs() -> list[Tensor]:
        return [each.draw() for each in problem.inputs]

    problem.model.__module__ = module.__name__
    problem.model.__qualname__ = "Model"  # torch.export looks it up
    module.Model = problem.model  # type: ignore[attr-defined]
    module.get_inputs = get_inputs  # type: ignore[attr-defined]
    if domains := list(problem.domains):
        module.get_input_domains = lambda: domains  # type: ignore[attr-defined]


def returned(results: list[Any]) -> Any:
    """What a `forward` with these results gives: one alone, or a tuple of several."""
    return results[0] if len(results) == 1 else tuple(results)


def require_known(sizes: dict[str, int], names: Sequence[str]) -> None:
    """Raises BadGraphFile where a size is given to a dimension that there is not."""
    if unknown := [name for name in sizes if name not in names]:
        raise BadGraphFile(
            f"no input has a dimension named '{unknown[0]}': "
            + (f"there are {', '.join(names)}" if names else "none has a name")
        )
