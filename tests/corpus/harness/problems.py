"""What a problem gives for a sequence of windows: inputs of each family, the exact result, eager's.

All of it is computed before a candidate is loaded, and held as numpy arrays.
"""

from __future__ import annotations

import copy
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree

from harness.compare import Array
from harness.entries import FAMILIES

TINY = {torch.float64: 1e-310, torch.float32: 1e-40, torch.float16: 1e-6, torch.bfloat16: 1e-40}


@dataclass
class Window:
    family: str
    inputs: list[Any]  # leaves; tensors and numbers
    exact: list[Array]  # outputs, then inputs that were changed
    eager: list[Array]
    state: dict[str, torch.Tensor] | None = (
        None  # of family "parameters": in place of the drawn one
    )


@dataclass
class Prepared:
    init: list[Any]
    seed: int
    tree: Any  # of the inputs
    state: dict[str, torch.Tensor]
    outputs: list[torch.Tensor]  # examples, for shape and dtype
    mutated: list[int]  # positions among the tensors of the inputs
    aliased: bool  # whether an output of the problem's own model is memory of an input
    windows: list[Window]


def load(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def leaves(value: Any) -> list[Any]:
    return list(pytree.tree_leaves(value))


def results(value: Any) -> list[Any]:
    """Leaves of what a model returns. The order of a dict's keys says nothing."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value, key=str) for leaf in results(value[key])]
    if isinstance(value, list | tuple):
        return [leaf for each in value for leaf in results(each)]
    return leaves(value)


def tensors(values: list[Any]) -> list[torch.Tensor]:
    return [v for v in values if isinstance(v, torch.Tensor)]


def doubled(value: Any) -> Any:
    is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if is_float else copy.deepcopy(value)


def draw(module: Any, seed: int) -> list[Any]:
    torch.manual_seed(seed)
    return leaves(module.get_inputs())


def some_positions(size: int, count: int) -> torch.Tensor:
    return torch.randperm(size)[:count]


def float_family(family: str, own: torch.Tensor, again: torch.Tensor) -> torch.Tensor:
    """Values of a family in the shape and strides of `own`."""
    made = torch.empty_like(own)  # keeps the strides of a dense tensor
    flat_own = own.flatten()
    if family == "interior":
        # One element in a hundred differs from the window before, and no corner does.
        flat = again.flatten()
        middle = torch.arange(flat.numel() // 4, flat.numel() - flat.numel() // 4)
        chosen = middle[some_positions(len(middle), max(1, flat.numel() // 100))]
        flat[chosen] = flat_own[chosen]
    elif family == "zeros":
        flat = torch.zeros_like(flat_own)
    elif family == "constants":
        flat = torch.full_like(flat_own, float(flat_own[0]))
    elif family == "moderate":
        flat = torch.randn(flat_own.shape) * torch.exp2(12 * torch.rand(flat_own.shape) - 6)
    elif family == "large":
        flat = 1e4 * torch.randn(flat_own.shape)
    elif family == "offset":
        flat = 1e4 + torch.randn(flat_own.shape)
    elif family == "denormal":
        flat = torch.randn(flat_own.shape, dtype=torch.float64) * TINY[own.dtype]
    elif family == "spike":
        flat = flat_own.clone()
        flat[some_positions(flat.numel(), 2)] = 1e6
    elif family == "nonfinite":
        flat = flat_own.clone()
        at = some_positions(flat.numel(), 3)
        flat[at] = torch.tensor([float("nan"), float("inf"), -float("inf")])[: len(at)].to(
            own.dtype
        )
    elif family == "ties":
        flat = torch.randint(0, 3, flat_own.shape)
    elif family == "integers":
        flat = torch.randint(-8, 9, flat_own.shape)
    else:
        flat = flat_own
    made.copy_(flat.reshape(own.shape))
    return made


def integer_family(family: str, own: torch.Tensor) -> torch.Tensor:
    """Indices keep the range that they were drawn from; masks of one value are turned in places."""
    if own.dtype == torch.bool and family == "ties" and len(own.unique()) == 1:
        return own ^ (torch.rand(own.shape) < 1 / 8)
    if own.dtype == torch.bool or family not in ("zeros", "constants", "large", "ties"):
        return own
    low, high = int(own.min()), int(own.max())
    if family == "ties":
        return own.clamp(low, min(low + 2, high))
    return torch.full_like(
        own, {"zeros": low, "constants": int(own.flatten()[0])}.get(family, high)
    )


def inputs_of(module: Any, family: str, seed: int, before: list[Any]) -> list[Any]:
    own = draw(module, seed)
    made = []
    for leaf, earlier in zip(own, before, strict=True):
        if not isinstance(leaf, torch.Tensor):
            made.append(leaf)
        elif leaf.is_floating_point():
            made.append(float_family(family, leaf, earlier))
        else:
            made.append(integer_family(family, leaf))
    # What a problem makes of whatever numbers: triangles, probabilities.
    return leaves(module.shaped(*made)) if hasattr(module, "shaped") else made


def touched(module: Any, seed: int, before: list[Any]) -> list[list[Any]]:
    """One list for each tensor among the inputs, each like the one before but for a few elements of
    that tensor. None where inputs are made of others."""
    if hasattr(module, "shaped"):
        return []
    own, sets = draw(module, seed), []
    for n, leaf in enumerate(before):
        if not isinstance(leaf, torch.Tensor) or not leaf.numel():
            continue
        flat = leaf.flatten().clone()
        chosen = some_positions(flat.numel(), max(2, flat.numel() // 512))
        flat[chosen] = own[n].flatten()[chosen]
        made = torch.empty_like(leaf)  # keeps the strides
        before = [*before[:n], made.copy_(flat.reshape(leaf.shape)), *before[n + 1 :]]
        sets.append(before)
    return sets


def run(model: Any, inputs: list[Any], tree: Any) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Outputs, and the tensors among the inputs as they are afterwards."""
    outputs = results(model(*pytree.tree_unflatten(inputs, tree)))
    return outputs, tensors(inputs)


def storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage().data_ptr())


def same_bits(one: torch.Tensor, other: torch.Tensor) -> bool:
    return bool(one.contiguous().numpy().tobytes() == other.contiguous().numpy().tobytes())


def other_state(
    state: dict[str, torch.Tensor], learned: set[str]
) -> dict[str, torch.Tensor] | None:
    """Other values in what is the same everywhere, scales of one and shifts of zero; None: no such.

    A variance stays positive. Of single numbers only those that are learned.
    """

    def other(value: torch.Tensor) -> torch.Tensor:
        return value * (0.5 + torch.rand(value.shape)) + (value == 0) * torch.randn(value.shape) / 2

    def is_uniform(name: str, value: torch.Tensor) -> bool:
        return (
            value.is_floating_point()
            and value.numel() > (0 if name in learned else 1)
            and bool((value == value.flatten()[0]).all())
        )

    if not any(is_uniform(name, value) for name, value in state.items()):
        return None
    return {k: other(v) if is_uniform(k, v) else v.clone() for k, v in state.items()}


def prepare(path: Path, seed: int) -> Prepared:
    module = load(path, "problem_" + path.stem)
    torch.manual_seed(seed)
    init = module.get_init_inputs()
    torch.manual_seed(seed)
    model = module.Model(*init)
    exact_model = copy.deepcopy(model).double()
    _, tree = pytree.tree_flatten(module.get_inputs())

    state = {name: value.clone() for name, value in model.state_dict().items()}
    windows: list[Window] = []
    before = draw(module, seed + 1)
    mutated: list[int] = []
    aliased = False
    outputs: list[torch.Tensor] = []

    def add(family: str, inputs: list[Any], others: dict[str, torch.Tensor] | None) -> None:
        nonlocal before, mutated, aliased, outputs
        before = [leaf.clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in inputs]
        used = [leaf.clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in inputs]
        outputs, after = run(model, used, tree)
        if not windows:
            kept = tensors(inputs)
            mutated = [i for i, t in enumerate(after) if not same_bits(t, kept[i])]
            owners = {storage(t) for t in after}
            aliased = any(storage(t) in owners for t in outputs)
        exact, exact_after = run(exact_model, [doubled(leaf) for leaf in inputs], tree)
        windows.append(
            Window(
                family,
                inputs,
                [t.detach().numpy().copy() for t in exact + [exact_after[i] for i in mutated]],
                [t.detach().numpy().copy() for t in outputs + [after[i] for i in mutated]],
                others,
            )
        )

    drawn = [family for family in FAMILIES if family != "touched"]
    for family in FAMILIES:
        if family == "touched":
            torch.manual_seed(seed + 98)
            for inputs in touched(module, seed + 98, before):
                add(family, inputs, None)
            continue
        number = drawn.index(family)
        others = None
        if family == "parameters":
            torch.manual_seed(seed + 99)
            others = other_state(state, {name for name, _ in model.named_parameters()})
            if others is None:
                continue
            model.load_state_dict(others)
            exact_model.load_state_dict(others)
        add(family, inputs_of(module, family, seed + 1 + number, before), others)
    # Shapes and dtypes only: a candidate may look for tensors that lie about.
    examples = [torch.zeros_like(t) for t in outputs]
    return Prepared(init, seed, tree, state, examples, mutated, aliased, windows)
