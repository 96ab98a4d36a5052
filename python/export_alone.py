"""Exports problem.py, which lies beside this file, to kernel.mlir, by the tools that assay uses.

    python3 export.py [--by torch|stablehlo|torch-mlir] [--dtype bf16] [--train]

--by torch takes torch and iree-turbine, stablehlo takes torch, jax and torchax, torch-mlir takes
torch and torch-mlir. assay itself holds no weights while it exports, and mends a few things that
exporters lack; nothing of that is here. `assay phases RUN ATTEMPT --bundle DIR` puts this file
into DIR. Nothing of assay is needed to run it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch.export import Dim, ExportedProgram
from torch.utils import _pytree as pytree

# It must run without assay, so it says once more, in brief, what assay_worker has of dtypes and of
# inputs (building.py, model_file.py), of open sizes (dynamic_sizes.py) and of torchax's import
# (stablehlo.py).
DTYPES = {"f32": None, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64}
RESULT = Path(__file__).resolve().parent / "kernel.mlir"


class ByName(torch.nn.Module):  # type: ignore[misc]
    """A model that is called with arguments by name, called by their places."""

    def __init__(self, model: torch.nn.Module, names: list[str]) -> None:
        super().__init__()
        self.model = model
        self.names = names

    def forward(self, *values: Any) -> Any:
        return self.model(**dict(zip(self.names, values, strict=True)))


def load() -> tuple[torch.nn.Module, list[Any], Any]:
    """The model, what it is called with, and which sizes stay open."""
    sys.path.insert(0, str(RESULT.parent))
    problem: Any = import_module("problem")
    if hasattr(problem, "get_inputs"):
        first: list[Any] = getattr(problem, "get_init_inputs", list)()
        model, inputs = problem.Model(*first), list(problem.get_inputs())
    else:
        model, given = problem.get_model(), problem.get_dummy_input()
        if isinstance(given, Mapping):
            model, inputs = ByName(model, list(given)), list(given.values())
        elif isinstance(given, torch.Tensor):
            inputs = [given]
        elif all(isinstance(each, int) for each in given):
            inputs = [torch.randn(*given)]
        else:
            inputs = list(given)
    if not hasattr(problem, "get_dynamic_sizes"):
        return model, inputs, None
    leaves, tree = pytree.tree_flatten(tuple(inputs))
    opened = [
        {n: Dim.DYNAMIC if leaf.shape[n] > 1 else Dim.AUTO for n in dimensions}
        if isinstance(leaf, torch.Tensor)
        else None
        for dimensions, leaf in zip(problem.get_dynamic_sizes(), leaves, strict=True)
    ]
    return model, inputs, pytree.tree_unflatten(opened, tree)


def by_turbine(program: ExportedProgram) -> str:
    from iree.turbine import aot

    return str(aot.export(program).mlir_module)


def by_torchax(program: ExportedProgram) -> str:
    # torchax names overloads of operations that a newer torch no longer has, while it is imported.
    packet = torch._ops.OpOverloadPacket
    as_it_is = packet.__getattr__

    def found(self: Any, name: str) -> Any:
        try:
            return as_it_is(self, name)
        except AttributeError:
            if name.startswith("__"):
                raise
            return object()

    packet.__getattr__ = found
    from torchax.export import exported_program_to_stablehlo

    packet.__getattr__ = as_it_is
    _, exported = exported_program_to_stablehlo(program)
    return str(exported.mlir_module())


def by_torch_mlir(program: ExportedProgram) -> str:
    from torch_mlir import fx

    return str(fx.export_and_import(program, output_type="stablehlo"))


ROUTES = {"torch": by_turbine, "stablehlo": by_torchax, "torch-mlir": by_torch_mlir}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--by", default="torch", choices=ROUTES)
    parser.add_argument("--dtype", default="f32", choices=DTYPES)
    parser.add_argument("--train", action="store_true")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    model, inputs, dynamic_shapes = load()
    model.train(arguments.train)
    dtype = DTYPES[arguments.dtype]
    if dtype:
        model = model.to(dtype)
        inputs = pytree.tree_map_only(
            torch.Tensor, lambda x: x.to(dtype) if x.is_floating_point() else x, inputs
        )
    with torch.no_grad():
        program = torch.export.export(
            model, tuple(inputs), dynamic_shapes=dynamic_shapes, strict=False
        )
        RESULT.write_text(ROUTES[arguments.by](program))
    print(f"written: {RESULT}")


if __name__ == "__main__":
    main()
