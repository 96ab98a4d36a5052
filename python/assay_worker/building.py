"""Builds a problem's model and inputs, without data as far as that goes."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree

from assay_worker import dynamic_sizes, kernelbench
from assay_worker.aliases import repeated_inputs
from assay_worker.failure import blame
from assay_worker.kernelbench import Problem
from assay_worker.on_cpu import OnCpu, ignore_default_device
from assay_worker.passes.base import Pass
from assay_worker.passes.conversions import convert
from assay_worker.real_values import SMALL_BYTES, SMALL_TOTAL_BYTES, RealValues
from assay_worker.seeding import seed_all
from assay_worker.trail import Trail

# What a precision casts to. f32 is the precision of a problem as it is written: nothing is cast.
DTYPES = {"f32": None, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64}


@dataclass(frozen=True)
class Built:
    """A model with its inputs, made under `fake` and good only there."""

    model: torch.nn.Module
    inputs: list[Any]
    fake: FakeTensorMode
    values: RealValues | None = None
    # Places, among the flattened inputs, of tensors that get_inputs() gave more than once.
    repeated: list[int] = field(default_factory=list)
    # As torch.export takes them; `None`: the program knows all sizes.
    dynamic_shapes: Any = None


@dataclass(frozen=True)
class Rung:
    """One way of building: the fall-back it is (`None`: it is none), and what may be real."""

    word: str | None = None
    values: RealValues | None = None
    # Values that exist before the model, such as a table at the top of the file, stay real.
    fake: FakeTensorMode = field(default_factory=lambda: FakeTensorMode(allow_non_fake_inputs=True))


def rungs(real_bytes: int) -> list[Rung]:
    """The ways to try, the cheapest first; the last one within `real_bytes` of real tensors.

    To be called before any code of the problem runs: a fake tensor mode looks at the stack.
    """
    ways = [Rung(), Rung("small_real", RealValues(SMALL_BYTES, SMALL_TOTAL_BYTES))]
    if real_bytes > SMALL_BYTES:
        ways.append(Rung("real", RealValues(real_bytes, real_bytes)))
    return ways


def load(source: bytes, path: str, seed: int, trail: Trail) -> Problem:
    """Runs the problem's file, seeded. Raises Failed or Unsupported."""
    with blame("load", path), OnCpu(trail):
        seed_all(seed)
        problem = kernelbench.load(source, path)
        ignore_default_device(trail)
    return problem


def build(
    problem: Problem,
    seed: int,
    train: bool,
    precision: str,
    passes: Sequence[Pass],
    trail: Trail,
    rung: Rung,
) -> Built:
    """Runs the problem's code for model and inputs; takes the model through what passes prepare.

    What is drawn at random follows from `seed` alone, whatever was tried before.

    Raises whatever the problem's code raises.
    """

    def reseed() -> None:
        seed_all(seed)
        if rung.values:
            rung.values.seeded()

    with ExitStack() as modes:
        modes.enter_context(rung.fake)
        if rung.values:
            modes.enter_context(rung.values)
            modes.enter_context(rung.values.reads())
        modes.enter_context(OnCpu(trail))
        for each in passes:
            modes.enter_context(each.building(trail.note(each.name)))
        model = problem.build(reseed).train(train)
        given = problem.inputs(reseed)
        inputs = separate(given)
        if rung.values:
            trail.changed("tensor_attributes", name_shifted(model, rung.values))
        prepare(model, passes, trail)
        inputs = cast(model, inputs, precision)
        dynamic_shapes = None
        if problem.get_dynamic_sizes is not None:
            dynamic_shapes = dynamic_sizes.as_torch_has_it(problem.get_dynamic_sizes(), inputs)
    return Built(model, inputs, rung.fake, rung.values, repeated_inputs(given), dynamic_shapes)


def name_shifted(model: torch.nn.Module, values: RealValues) -> Iterator[str]:
    """Makes parameters of buffers whose values are others than a real build draws.

    The archive of weights has them under the same name. Yields their names.
    """
    for path, module in model.named_modules():
        for name in sorted(module._non_persistent_buffers_set):
            buffer = module._buffers.get(name)
            if buffer is not None and values.is_shifted(buffer):
                module._non_persistent_buffers_set.discard(name)
                yield f"{path}.{name}" if path else name


def prepare(model: torch.nn.Module, passes: Sequence[Pass], trail: Trail) -> None:
    """Takes the model through what the passes do before it is traced: it gives tensors names."""
    for each in passes:
        trail.changed(each.name, each.prepare(model))


def cast(model: torch.nn.Module, inputs: list[Any], precision: str) -> list[Any]:
    """Casts all that is floating point: in the model in place, among the inputs as returned."""
    dtype = DTYPES[precision]
    if dtype is None:
        return inputs

    def to(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to(dtype) if tensor.is_floating_point() else tensor

    convert(model, to)
    given: list[Any] = pytree.tree_map_only(torch.Tensor, to, inputs)
    return given


@contextmanager
def default_dtype(precision: str) -> Iterator[None]:
    """What `forward` makes without naming a type, `torch.zeros(4)`, is of the precision too."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(DTYPES[precision] or before)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def separate(inputs: list[Any]) -> list[Any]:
    """Gives a tensor that is passed twice a second identity.

    Otherwise tracing merges the two arguments, and `x - y` becomes `y - y` for all later inputs.
    """
    seen: set[int] = set()

    def fresh(tensor: torch.Tensor) -> torch.Tensor:
        known = id(tensor) in seen
        seen.add(id(tensor))
        return tensor.clone() if known else tensor

    separated: list[Any] = pytree.tree_map_only(torch.Tensor, fresh, inputs)
    return separated
