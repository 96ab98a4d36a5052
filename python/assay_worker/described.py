"""What a problem takes, holds and returns: found out with fake tensors, which have no data."""

import math
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn.modules.batchnorm import _NormBase
from torch.utils import _pytree as pytree

from assay_worker import domains, model_state
from assay_worker.aliases import key_of, memory_of
from assay_worker.building import DTYPES, Built, Rung, build, default_dtype, load, rungs
from assay_worker.control_page import DTYPE_NUMBERS, MAX_RANK
from assay_worker.draws import Recorder, drawn
from assay_worker.failure import Failed, Unsupported, blame
from assay_worker.kernelbench import Problem, unload
from assay_worker.on_cpu import OnCpu
from assay_worker.open_order import OpenOrder
from assay_worker.passes.conversions import CONVERSIONS
from assay_worker.peak import Peak
from assay_worker.protocol import Message
from assay_worker.seeding import seed_all
from assay_worker.settings import Settings, constants_of
from assay_worker.short_sequences import ShortSequences
from assay_worker.signature import DTYPE_WORDS, MAX_LEAVES
from assay_worker.tensors import bytes_of, spec_of
from assay_worker.trail import Trail
from assay_worker.trees import encode_arguments, encode_scalar, encode_values

# Of the inputs that are described, and of others beside them. The first is that of exports
# (src/run/workload_job.h): a shape that follows from it is the same there.
FIRST_SEED = 42
_SECOND_SEED = 43
# Of one tensor: what a number of bytes has room for, with some to spare.
MAX_ELEMENTS = 1 << 56


@dataclass(frozen=True)
class Described:
    """The answer, and torch's tree of forward's arguments."""

    message: Message
    structure: Any


def describe(settings: Settings, real_bytes: int) -> Described:
    """{"inputs": [leaf], "input_tree", "init_tree", "init_tensors", "draws": [one per input],
    "domains"?: [see domains.said: what the file says of its inputs],
    "state": see model_state.describe, with "changed": true for what a call changes,
    "outputs": [leaf, with "aliased_input" where it has the memory of one, and perhaps "picks" or
    "order_open"], "output_tree", "mutated_inputs": [place], "mixes": bool, "scalars": [leaf],
    "constants": {name: number}, "flops": n | null where not all is counted,
    "bytes": {"inputs", "state", "outputs", "forward", "double"}}

    A leaf is {"dtype", "shape", "strides"?} or {"scalar": value} or {"float": "inf"}. A tree that
    can't be written is {"unsupported": reason}. "scalars" are the numbers among forward's arguments
    and then among the constructor's. "constants" are the sizes that the file may have other numbers
    for, with those that it has now. "forward" is what a call holds at most beside inputs and
    state, "double" the same in double precision, inputs and state included. "mixes": there is a
    product of matrices or a convolution, whose algorithms may spread a NaN.

    "picks" is of indices that a call gave which picks elements: {"call": which of such calls,
    "shape": of what it picked from, "dim": along which, "each_once": no index comes twice, "first":
    of equal elements it names the first, and not any}. "order_open" is there where something was
    made of such indices, and true where of some that are not "first". See open_order.py.

    Raises Failed of the class "load", "setup" or "exception", or Unsupported.
    """
    finding: Failed | None = None
    for rung in rungs(real_bytes):
        try:
            return _describe(settings, rung)
        except Failed as failed:
            if failed.failure_class not in ("setup", "exception"):
                raise
            finding = failed
    assert finding is not None
    raise finding


class _Watched:
    """The functions of a file, with what they gave written down."""

    def __init__(self, problem: Problem) -> None:
        self.init: list[Any] = []
        self.draws: list[list[Message]] = []  # of each time that inputs were drawn
        self._get_init, self._get_inputs = problem.get_init_inputs, problem.get_inputs
        self.problem = replace(
            problem,
            get_inputs=self._inputs,
            get_init_inputs=self._init_inputs if problem.get_init_inputs else None,
        )

    def _init_inputs(self) -> Any:
        assert self._get_init is not None
        given = self._get_init()
        if isinstance(given, list | tuple):
            self.init = list(given)
        return given

    def _inputs(self) -> Any:
        with Recorder() as recorder:
            given = self._get_inputs()
        self.draws.append(drawn(recorder, pytree.tree_leaves(given)))
        return given


def _describe(settings: Settings, rung: Rung) -> Described:
    trail, path = Trail(), settings.path
    problem = load(settings.with_constants(), path, FIRST_SEED, trail)
    watched = _Watched(problem)
    try:
        with blame("setup", path):
            built = build(
                watched.problem,
                FIRST_SEED,
                settings.train,
                settings.precision,
                [CONVERSIONS],
                trail,
                rung,
            )
            with _modes(built), OnCpu(trail):
                if dtype := DTYPES[settings.precision]:
                    model_state.cast_attributes(built.model, dtype)
                # Inputs again, to see what else depends on the seed.
                watched.problem.inputs(partial(seed_all, _SECOND_SEED))
        return _told(settings, built, watched)
    finally:
        unload(problem)


def _modes(built: Built) -> ExitStack:
    """In force while code of the problem runs without data."""
    modes = ExitStack()
    modes.enter_context(built.fake)
    if built.values:
        modes.enter_context(built.values)
        modes.enter_context(built.values.reads())
    return modes


def _told(settings: Settings, built: Built, watched: _Watched) -> Described:
    problem = watched.problem
    leaves, structure = pytree.tree_flatten(built.inputs)
    if len(leaves) > MAX_LEAVES:
        raise Unsupported(f"{len(leaves)} inputs, nested ones counted: {MAX_LEAVES} are taken")
    inputs = [_leaf(f"input {n}", leaf) for n, leaf in enumerate(leaves)]
    init_tree, init_tensors = _init_tree(watched.init)
    for each in model_state.held(built.model):
        _require_judged(f"its '{each.name}'", each.tensor)
    state = model_state.describe(built.model)
    for tensor in init_tensors:
        _require_judged("an argument of its constructor", tensor)
    scalars = [
        leaf for leaf in inputs if "shape" not in leaf and type(leaf.get("scalar")) is not str
    ]
    scalars = [leaf for leaf in scalars if leaf != {"scalar": None}]
    numbers = (int, float, bool)
    init_leaves = pytree.tree_leaves(watched.init)
    scalars += [encode_scalar(x) for x in init_leaves if type(x) in numbers]
    results, call = _called(settings, built, leaves)
    first, second = watched.draws[0], watched.draws[-1]
    said: Message = {}
    if problem.get_input_domains is not None:
        with blame("load", settings.path):
            entries = problem.get_input_domains()
            said = {"domains": domains.said(entries, leaves, first)}
    return Described(
        said
        | {
            "inputs": inputs,
            "input_tree": _or_reason(lambda: encode_arguments(built.inputs)),
            "init_tree": init_tree,
            "init_tensors": [spec_of(tensor) for tensor in init_tensors],
            "draws": [
                a if a == b and n not in built.repeated else {"draw": None}
                for n, (a, b) in enumerate(zip(first, second, strict=True))
            ],
            "state": _with_changes(state, call["changed"]),
            "outputs": results,
            "output_tree": call["tree"],
            "mutated_inputs": call["mutated_inputs"],
            "mixes": call["peak"].mixes,
            "flops": call["peak"].flops.count,
            "scalars": scalars,
            "constants": {n: value for n, value, _ in constants_of(settings.with_constants())},
            "bytes": {
                "inputs": _sum(leaves),
                "state": _sum(each.tensor for each in model_state.held(built.model)),
                "outputs": call["bytes"],
                "forward": call["peak"].bytes,
                "double": call["peak"].double_bytes
                + call["key_bytes"]
                + _doubled(leaves)
                + _doubled(each.tensor for each in model_state.held(built.model)),
            },
        },
        structure,
    )


def _called(settings: Settings, built: Built, leaves: list[Any]) -> tuple[list[Message], Any]:
    """Calls the model once; describes its results, and what the call did."""
    tensors: dict[int, Any] = {n: x for n, x in enumerate(leaves) if isinstance(x, Tensor)}
    versions = {n: tensor._version for n, tensor in tensors.items()}
    held = model_state.held(built.model)
    # Written without a new version.
    statistics = {
        id(each)
        for module in built.model.modules()
        if isinstance(module, _NormBase) and module.training
        for each in (module.running_mean, module.running_var)
    }
    held_versions = [each.tensor._version for each in held]
    with ExitStack() as modes:
        modes.enter_context(blame("exception", settings.path))
        modes.enter_context(_modes(built))
        peak = modes.enter_context(Peak())
        order = modes.enter_context(OpenOrder())
        modes.enter_context(default_dtype(settings.precision))
        modes.enter_context(OnCpu(Trail()))
        short = modes.enter_context(ShortSequences())
        given = built.model(*built.inputs)
    results = pytree.tree_leaves(given)
    if len(results) > MAX_LEAVES:
        raise Unsupported(f"{len(results)} outputs, nested ones counted: {MAX_LEAVES} are taken")
    if not any(isinstance(each, Tensor) for each in results):
        raise Unsupported("it returns no tensor, so there is nothing to compute: return one")
    if short.shortened:
        peak.flops.forget()
    if peak.reads:
        _require_no_numbers(results)
    places = {key_of(memory_of(tensor)): n for n, tensor in tensors.items()}
    described = []
    for n, each in enumerate(results):
        leaf = _leaf(f"output {n}", each)
        leaf.pop("strides", None)  # what is compared has none
        if isinstance(each, Tensor) and (place := places.get(key_of(memory_of(each)))) is not None:
            leaf["aliased_input"] = place
        if isinstance(each, Tensor):
            leaf |= order.of(each)
        described.append(leaf)
    picked = any("picks" in leaf or "order_open" in leaf for leaf in described)
    return described, {
        "tree": _or_reason(lambda: encode_arguments([given])["list"][0]),
        "mutated_inputs": [n for n, x in tensors.items() if x._version != versions[n]],
        "changed": [
            one.tensor._version != version
            or one.holder.get(one.key) is not one.tensor
            or id(one.tensor) in statistics
            for one, version in zip(held, held_versions, strict=True)
        ],
        "bytes": _sum(results),
        "peak": peak,
        # Those of both runs are kept until they are compared.
        "key_bytes": 2 * 8 * order.key_elements if picked else 0,
    }


def _leaf(name: str, value: Any) -> Message:
    if not isinstance(value, Tensor):
        return encode_scalar(value)
    _require_judged(name, value)
    if not all(type(size) is int for size in value.shape):
        raise Unsupported(f"{name} has a shape that depends on the data: {list(value.shape)}")
    return spec_of(value)


def _require_no_numbers(results: list[Any]) -> None:
    """A number that depends on data has another value at each call: there is none to hold it to."""
    for n, each in enumerate(results):
        if isinstance(each, int | float | complex):
            raise Unsupported(
                f"output {n} is a number of Python's, and its call reads the values of tensors: "
                "what depends on data must be returned as a tensor"
            )


def _require_judged(name: str, tensor: Tensor) -> None:
    if tensor.layout != torch.strided:
        raise Unsupported(f"{name} has the layout {tensor.layout}: dense tensors are judged")
    if DTYPE_WORDS.get(tensor.dtype) not in DTYPE_NUMBERS:
        known = " ".join(DTYPE_NUMBERS)
        raise Unsupported(f"{name} is {tensor.dtype}: tensors of {known} are judged")
    if tensor.dim() > MAX_RANK:
        raise Unsupported(f"{name} has {tensor.dim()} dimensions: {MAX_RANK} are judged")
    elements = math.prod(size for size in tensor.shape if type(size) is int)
    if elements > MAX_ELEMENTS:
        raise Unsupported(f"{name} has {elements} elements: no machine holds them")


def _init_tree(arguments: list[Any]) -> tuple[Message, list[Tensor]]:
    try:
        return encode_values(arguments)
    except Unsupported as reason:
        return {"unsupported": str(reason)}, []


def _or_reason(encode: Callable[[], Message]) -> Message:
    try:
        return encode()
    except Unsupported as reason:
        return {"unsupported": str(reason)}


def _with_changes(state: list[Message], changed: list[bool]) -> list[Message]:
    return [
        {**each, "changed": True} if is_changed else each
        for each, is_changed in zip(state, changed, strict=True)
    ]


def _sum(values: Any) -> int:
    return sum(bytes_of(each) for each in values if isinstance(each, Tensor))


def _doubled(values: Any) -> int:
    return sum(
        8 * each.numel() if each.is_floating_point() else bytes_of(each)
        for each in values
        if isinstance(each, Tensor)
    )
