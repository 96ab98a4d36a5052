"""The results of a problem: in double, to compare with, and at its precision, as torch has them."""

import copy
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from assay_worker import sheet
from assay_worker.aliases import key_of, memory_of
from assay_worker.building import DTYPES, default_dtype
from assay_worker.double import Before, InDouble, SaysItsType, Watch, widened
from assay_worker.exact import Integers
from assay_worker.failure import Failed, Unsupported, blame
from assay_worker.model_state import Kept, cast
from assay_worker.on_cpu import OnCpu
from assay_worker.open_order import Keys, Shake, Watching, tolerances
from assay_worker.protocol import Message, ProtocolError
from assay_worker.python_state import Snapshot
from assay_worker.settings import Settings
from assay_worker.shared_memory import Memories
from assay_worker.spreading import Spreading
from assay_worker.tensors import spec_of
from assay_worker.tensors import write as write_into
from assay_worker.trail import Trail

MAX_NAMES = 16
# A call that takes longer is not made twice more only to see that it gives the same.
SHORT_NS = 200_000_000
# What two calls may be apart, of the largest value. What changes with each call is apart by more.
STEADY_PART = 1e-3


class Callee:
    """A model as it was built: each call finds it so."""

    def __init__(self, model: nn.Module) -> None:
        self.model, self.kept = model, Kept(model)
        self.is_steady = False  # that it gives the same again has been seen
        self.tolerances: list[Tensor] = []  # of what it picked from, in the call before
        self._versions = {name: p._version for name, p in model.named_parameters()}

    def changed_parameters(self) -> list[str]:
        """Names of parameters that a call wrote into, which nothing puts back."""
        now = dict(self.model.named_parameters())
        return [n for n, v in self._versions.items() if n not in now or now[n]._version != v]


@dataclass(frozen=True)
class Called:
    """What one call gave."""

    results: list[Any]  # flattened
    inputs: list[Any]  # flattened, as the call left them


@contextmanager
def _in_double(path: str) -> Iterator[None]:
    """What breaks in the block only breaks there: a problem may insist on its own type.

    Nothing is left to oneDNN: its product of int8 saturates where the processor has no VNNI, and
    of double it has none.
    """
    uses_mkldnn = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    try:
        with blame("exception", path):
            yield
    except Failed as failure:
        if failure.failure_class != "exception":
            raise
        raise Unsupported(
            "it cannot be computed in double precision, which results are held against: "
            f"{failure.error}"
        ) from None
    finally:
        torch._C._set_mkldnn_enabled(uses_mkldnn)


def doubled(model: nn.Module, path: str) -> Callee:
    """A copy in double. Raises Unsupported where there can be none."""
    with _in_double(path):
        return Callee(cast(copy.deepcopy(model), torch.float64))


def compute(
    eager: Callee,
    double: Callee | None,
    structure: Any,
    settings: Settings,
    request: Message,
    memories: Memories,
    device: str = "cpu",
) -> Message:
    """{"do": "compute", "inputs": [leaf], "outputs": [leaf], "mutated"?: [tensor + "input"],
    "keys"?: [tensor + "call"], "from_picks"?: bool, "shake"?: n, "times"?: number,
    "spread"?: "kinds", "places" or "picks", "double"?: bool, "integers"?: bool, "slots"?: n,
    "slot_bytes"?: {memory: bytes}, "memories"?: ["inputs", "reference", "baseline"]} + [those].

    Reads inputs, of which the memory may be any; writes each output to "offset" of the baseline's
    memory, in its own type, and to "reference_offset" of the reference's, in double where it is
    floating point. "mutated" are inputs that the call changes, and is like outputs. "keys", what a
    call picked from (open_order.py), are written to the reference's memory, in double. No call sees
    what an earlier one changed, unless there are several slots, whose calls see what is left in
    Python. The answer, of several with what they all have in common and the median of times:

    {"baseline_ns", "mutated_inputs": [place], "aliased_inputs": [place | null per output],
     "draws": bool, "left": [name], and of the double run "double_ns", "narrow": [operation],
     "rounds"?: [type, half-precision ones that it was to round to and did not],
     "integers"?: true, or "not_integers"?: why, and "too_large"?: smaller numbers might be;
     "exact_keys"?: [of each slot one per key, whether it has no roundings; else it is in units of
     what two elements may be apart and count as equal]}

    "from_picks": results were made of such picks; then "shake" asks for no more than the results in
    double once more, as they are when equal elements come in another order, the n-th from 1. And
    "spread" for those in double once more, as products and convolutions may spread what is not
    finite: spreading.py.

    On another `device` than the CPU, models are there. What calls make without one is made there.

    Raises Failed, "exception", of the problem's own call; Unsupported where the one in double
    breaks, or where the same call does not give the same again.
    """
    keys = request.get("keys", [])
    keeps = bool(keys) or request.get("from_picks", False)
    wanted = [(n, each) for n, each in enumerate(request["outputs"]) if sheet.is_tensor(each)]
    changed = request.get("mutated", [])
    slots = request.get("slots", 1)
    if slots != 1 and (
        request.get("from_picks") or request.get("shake") or request.get("integers")
    ):
        raise ProtocolError("several slots of what is asked for once more")
    # Of each slot: what its calls picked from, and of all: which of it has no roundings.
    seen, exactly = [Keys() for _ in range(slots)], [Keys() for _ in range(slots)]
    exact_keys: list[bool] = []

    def given(widen: bool, slot: int = 0) -> list[Any]:
        copies = memories.copies()
        places = [sheet.in_slot(request, leaf, slot) for leaf in request["inputs"]]
        leaves = [
            copies.tensor(leaf).to(device) if sheet.is_tensor(leaf) else sheet.scalar(leaf)
            for leaf in places
        ]
        return [widened(leaf) for leaf in leaves] if widen else leaves

    def run(
        of: Callee,
        widen: bool,
        take: Callable[[Called, int], None],
        watches: Sequence[Watch | None],  # of each slot
        before: Before | None = None,
    ) -> Calls:
        @contextmanager
        def modes(watch: Watch | None) -> Iterator[None]:
            precision = "f64" if widen else settings.precision
            with default_dtype(precision), _on(device):
                if not widen:
                    with Watching(watch) if watch else nullcontext():
                        yield
                    return
                with InDouble(watch, before) as mode, SaysItsType(_type_of(settings)):
                    narrow.append(mode)
                    yield

        calls = Calls(of, structure, device)
        for slot in range(slots):
            blamed = _in_double(settings.path) if widen else blame("exception", settings.path)
            with blamed:
                called = calls.call(given(widen, slot), modes(watches[slot]))
            take(called, slot)
        calls.end()
        return calls

    def write(called: Called, slot: int, memory: str, offset: str, own_type: bool) -> None:
        apart = slot * request["slot_bytes"][memory] if slot else 0
        found = [(f"output {n}", called.results[n], spec) for n, spec in wanted]
        found += [(f"input {s['input']}", called.inputs[s["input"]], s) for s in changed]
        for name, value, spec in found:
            place = spec
            if not own_type and value.is_floating_point():
                place = {**spec, "dtype": "f64"}
            _require(name, value, place, "" if own_type else " in double")
            write_into(memories.tensor(place, memory, spec[offset] + apart), value)

    def take_baseline(called: Called, slot: int) -> None:
        if len(called.results) != len(request["outputs"]):
            raise Unsupported(
                f"it returns {len(called.results)} values now, and {len(request['outputs'])} "
                "before: what depends on data in that is not judged"
            )
        _require_same_numbers(called.results, request["outputs"])
        write(called, slot, "baseline", "offset", own_type=True)

    def take_reference(called: Called, slot: int) -> None:
        write(called, slot, "reference", "reference_offset", own_type=False)

    def take_picked(called: Called, slot: int) -> None:
        take_reference(called, slot)
        allowed = tolerances(seen[slot], exactly[slot])
        if allowed is None or any(key["call"] >= len(allowed) for key in keys):
            raise Unsupported("it sorts or picks otherwise in double: nothing to hold indices to")
        apart = slot * request["slot_bytes"]["reference"] if slot else 0
        for spec in keys:
            value, tolerance = exactly[slot].found[spec["call"]].values, allowed[spec["call"]]
            _require("what indices point to", value, spec, " in double")
            if tolerance.any():
                value = value / tolerance
            write_into(memories.tensor(spec, "reference", spec["offset"] + apart), value)
            exact_keys.append(not bool(tolerance.any()))
        assert double
        double.tolerances = allowed
        # As large as an input each: none is kept for longer than it is needed.
        seen[slot].found.clear()
        exactly[slot].found.clear()

    narrow: list[InDouble] = []
    if request.get("shake"):
        if double is None:
            raise ProtocolError("there is no result in double to shake")
        shake = Shake(double.tolerances, request["shake"], request.get("times", 1))
        calls = run(double, True, take_reference, [None], shake.before)
        return {"baseline_ns": 0, "draws": calls.draws}
    if request.get("spread"):
        if double is None or slots != 1:
            raise ProtocolError("there is no result in double in which anything could spread")
        spreading = Spreading(request["spread"])
        with spreading:
            calls = run(double, True, take_reference, [spreading.watch], spreading.before)
        return {"baseline_ns": 0, "draws": calls.draws}
    of_eager = [each.watch if keeps and double else None for each in seen]
    calls = run(eager, False, take_baseline, of_eager)
    answer: Message = {
        "baseline_ns": calls.ns,
        "mutated_inputs": calls.mutated,
        "aliased_inputs": calls.aliased,
        "draws": calls.draws,
        "left": calls.left[:MAX_NAMES],
    }
    if answer["left"] or (not eager.is_steady and answer["baseline_ns"] < SHORT_NS):
        if not answer["draws"]:
            with blame("exception", settings.path), default_dtype(settings.precision), _on(device):
                _require_steady(eager, lambda: given(False), structure, answer["left"])
        eager.is_steady = True
    if double is None:
        return answer
    proof = Integers(settings.precision) if request.get("integers") else None
    of_double = [
        _all_of(([proof.watch] if proof else []) + ([each.watch] if keeps else []))
        for each in exactly
    ]
    calls = run(double, True, take_picked if keeps else take_reference, of_double)
    names = {name for mode in narrow for name in mode.narrow}
    answer |= {"double_ns": calls.ns, "narrow": sorted(names)[:MAX_NAMES]}
    if settings.precision == "f32":  # else it is what the problem is computed in
        answer |= {"rounds": sorted({name for mode in narrow for name in mode.rounds})}
    if keeps:
        answer |= {"exact_keys": exact_keys}
    if proof is not None:
        why = {"not_integers": proof.why_not, "too_large": proof.too_large}
        answer |= why if proof.why_not else {"integers": True}
    return answer


def _on(device: str) -> AbstractContextManager[Any]:
    return OnCpu(Trail()) if device == "cpu" else torch.device(device)


def _type_of(settings: Settings) -> torch.dtype:
    return DTYPES[settings.precision] or torch.float32


def _all_of(watches: Sequence[Watch]) -> Watch | None:
    def watch(func: Any, args: Any, kwargs: Any, result: Any) -> None:
        for each in watches:
            each(func, args, kwargs, result)

    return watch if watches else None


class Calls:
    """Several calls of a model in a row, and what they have in common.

    What one of them changes of the model's tensors is put back before the next; what of Python's,
    at the end of all.
    """

    def __init__(self, of: Callee, structure: Any, device: str) -> None:
        self._of, self._structure = of, structure
        self._is_on_card = device == "cuda"
        self._generators = self._states_of_generators()
        self._before = Snapshot(of.model)
        self._times: list[int] = []
        self.mutated: list[int] = []
        self.aliased: list[int | None] = []
        self.draws = False  # from a generator of random numbers
        self.left: list[str] = []  # what of Python's they changed, but for tensors

    def call(self, leaves: Sequence[Any], modes: AbstractContextManager[None]) -> Called:
        """Calls it once with the flattened arguments and with `modes` in force."""
        of = self._of
        versions = [leaf._version if isinstance(leaf, Tensor) else 0 for leaf in leaves]
        arguments = pytree.tree_unflatten(leaves, self._structure)
        with modes:
            begun = time.monotonic_ns()
            given = of.model(*arguments)
            if self._is_on_card:  # where it may go on
                torch.cuda.synchronize()
            ns = time.monotonic_ns() - begun
        results = pytree.tree_leaves(given)
        # Before anything is put back: a result may be what the model holds.
        results = [each.detach().clone() if _is_held(each, of) else each for each in results]
        of.kept.restore()
        memories = {key_of(memory_of(x)): n for n, x in enumerate(leaves) if isinstance(x, Tensor)}
        mutated = [
            n for n, x in enumerate(leaves) if isinstance(x, Tensor) and x._version != versions[n]
        ]
        aliased = [
            memories.get(key_of(memory_of(x))) if isinstance(x, Tensor) else None for x in results
        ]
        if self._times and (mutated, aliased) != (self.mutated, self.aliased):
            raise Unsupported("what it changes, or returns of its inputs, is not always the same")
        self.mutated, self.aliased = mutated, aliased
        self._times.append(ns)
        return Called(results, list(leaves))

    def end(self) -> None:
        """Finds what is left, and puts it back."""
        self.left = sorted(self._before.changed())
        if self.left:
            self._before.restore()
        self.left += self._of.changed_parameters()
        now = self._states_of_generators()
        self.draws = not all(map(torch.equal, self._generators, now)) or any(
            name.startswith(("random", "numpy.random")) for name in self.left
        )

    def _states_of_generators(self) -> list[Tensor]:
        on_card = torch.cuda.default_generators[:1] if self._is_on_card else ()
        return [each.get_state() for each in (torch.default_generator, *on_card)]

    @property
    def ns(self) -> int:
        """What one takes: the median."""
        return sorted(self._times)[len(self._times) // 2]


def _require_steady(
    of: Callee, given: Callable[[], list[Any]], structure: Any, left: Sequence[str]
) -> None:
    """Calls it twice in a row: the second sees what the first left in Python and parameters.

    Raises Unsupported where the results differ: a candidate, which is called more often, cannot
    give those of the first call.
    """
    before = Snapshot(of.model)
    results = []
    for _ in range(2):
        result = of.model(*pytree.tree_unflatten(given(), structure))
        results.append(
            [x.detach().clone() for x in pytree.tree_leaves(result) if isinstance(x, Tensor)]
        )
        of.kept.restore()
    before.restore()
    if len(results[0]) != len(results[1]) or not all(map(_is_near, *results)):
        changed = ", ".join(left) or "a parameter"
        raise Unsupported(f"the same call gives other results each time: it changes {changed}")


def _is_near(a: Tensor, b: Tensor) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if not a.is_floating_point():
        return bool(torch.equal(a, b))
    a, b = a.double(), b.double()
    finite = a[torch.isfinite(a)].abs()
    most = float(finite.max()) if finite.numel() else 0.0
    return bool(torch.allclose(a, b, rtol=0, atol=STEADY_PART * most, equal_nan=True))


def _is_held(value: Any, of: Callee) -> bool:
    return isinstance(value, Tensor) and of.kept.shares(value)


def _require_same_numbers(results: Sequence[Any], outputs: Sequence[Message]) -> None:
    """Whatever of Python's it returns must be what it returned when it was described."""
    for n, (value, spec) in enumerate(zip(results, outputs, strict=True)):
        if sheet.is_tensor(spec) or sheet.is_same(value, spec):
            continue
        raise Unsupported(
            f"output {n} is {str(value)[:100]!r} now and was {str(sheet.scalar(spec))[:100]!r} "
            "before: what depends on data must be returned as a tensor"
        )


def _require(name: str, value: Any, spec: Message, where: str) -> None:
    """What depends on data in its shape cannot be laid out, nor what has another type in double."""
    got = spec_of(value)
    if (got["dtype"], got["shape"]) != (spec["dtype"], spec["shape"]):
        wanted = f"{spec['dtype']}{spec['shape']}"
        raise Unsupported(
            f"{name} is {got['dtype']}{got['shape']}{where}, and was to be {wanted}: results whose "
            "shape or type depends on data, or on the precision, are not judged"
        )
