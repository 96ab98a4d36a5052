"""The image `oracle`: has imported torch; a worker runs a problem's code, and says what is right.

A conversation: each request is one frame with its descriptors, each is answered by one frame, until
{"do": "end"}. With "sheet": true, more of the request is JSON in the first of the descriptors: a
frame to a worker is short. What a problem's code breaks is {"failed"} or {"unsupported"}, and the
next request may follow. Times are ns, sizes bytes. Requests, and what answers them:

    describe    what a problem takes, holds and returns, without data     described.py
    shrink      smaller sizes of its file's constants                     shrink.py
    chunks      whether rows can be computed a few at a time              chunks.py
    build       the model with data, drawn under a seed; gives its state
    load        takes the state from memory instead
    inputs      draws the inputs as the file does
    compute     the results: in double, and at the problem's precision    reference.py
"""

import json
import resource
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from assay_worker import (
    building,
    chunks,
    described,
    domains,
    hub_files,
    loaded_weights,
    reference,
    shrink,
)
from assay_worker.building import DTYPES
from assay_worker.double import InDouble
from assay_worker.failure import Failed, Unsupported, blame
from assay_worker.given_draws import GivenDraws, InteriorDraws
from assay_worker.integer_draws import IntegerDraws
from assay_worker.kernelbench import Problem, unload
from assay_worker.model_state import assign, construct, held
from assay_worker.on_cpu import OnCpu
from assay_worker.oracle_card import OnCard
from assay_worker.other_constants import OtherConstants
from assay_worker.other_draws import OtherDraws
from assay_worker.protocol import Channel, Message, ProtocolError
from assay_worker.reference import Callee
from assay_worker.seeding import seed_all, seed_of, trial_seed
from assay_worker.settings import Settings
from assay_worker.shared_memory import Memories
from assay_worker.sheet import content, is_tensor
from assay_worker.tensors import write
from assay_worker.trail import Trail
from assay_worker.zygote import Image


def warm_up() -> None:
    """One small model through a description, another in double, so that workers inherit caches."""
    with torch.no_grad():
        described.describe(Settings(_TINY.encode(), "tiny.py"), real_bytes=0)
        with InDouble():
            torch.nn.Linear(4, 4).double()(torch.rand(2, 4))


_TINY = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.LayerNorm(4))
    def forward(self, x):
        return torch.relu(self.layers(x))
def get_inputs():
    return [torch.rand(2, 4)]
"""


def work(channel: Channel) -> None:
    """Answers requests until there is no more to come."""
    oracle = Oracle()
    with torch.no_grad():
        while (message := channel.receive())[0].get("do") != "end":
            channel.answer(oracle.answer(*message))
    channel.answer({"final": True, "ok": {}})


IMAGE = Image("oracle", warm_up, work)


@dataclass
class Built:
    """A problem with its model, for real."""

    problem: Problem
    eager: Callee
    double: Callee | None = None  # a copy in double, made when it is first asked for
    card: OnCard | None = None  # copies there, where candidates are called there
    constants: dict[int, Tensor] | None = None  # inputs that are always the same, once drawn


class Oracle:
    """What is known from request to request: the file, and the model that was built last."""

    def __init__(self) -> None:
        self._settings: Settings | None = None
        self._built: Built | None = None
        self._on_card = False  # candidates are called there
        self._weights: Message | None = None  # that the model may be loaded with
        self._structure: Any = None  # of forward's arguments: torch's tree
        self._domains: list[Message | None] | None = None  # what the file says of them

    def answer(self, request: Message, descriptors: list[int]) -> Message:
        """Does what one frame asks. Raises ProtocolError for what is no request."""
        requests: dict[str, Callable[[Message, list[int]], Message]] = {
            "describe": self._describe,
            "shrink": self._shrink,
            "chunks": self._chunks,
            "build": self._build,
            "load": self._load,
            "inputs": self._inputs,
            "compute": self._compute,
        }
        if request.get("sheet"):
            request = {**request, **json.loads(content(descriptors.pop(0)))}
        word = request.get("do")
        if word not in requests:
            raise ProtocolError(f"the image {IMAGE.name!r} has no request {word!r}")
        try:
            return requests[word](request, descriptors)
        except (Failed, Unsupported) as finding:
            answer = finding.answer()
            del answer["final"]  # the conversation goes on
            return answer

    def _describe(self, request: Message, descriptors: list[int]) -> Message:
        """{"do": "describe", "path", "mode", "precision", "real_bytes"?, "on_card"?, "constants"?,
        "weights"?} + [source]. `on_card`: results are computed there as far as that goes.
        `weights`: what "build" may load (loaded_weights.py).

        Without a source, it is the file of the time before.
        """
        self._read(request, descriptors)
        found = described.describe(self._now(request), request.get("real_bytes", 0))
        self._structure = found.structure
        self._domains = found.message.get("domains")
        files = hub_files.seen()  # what it is may change with them
        return {"described": found.message | ({"hub_files": files} if files else {})}

    def _shrink(self, request: Message, descriptors: list[int]) -> Message:
        """{"do": "shrink", "bytes": target}: see shrink.py."""
        return {"shrunk": shrink.shrink(self._now(request), request["bytes"])}

    def _chunks(self, request: Message, descriptors: list[int]) -> Message:
        """{"do": "chunks", "bytes": target}: see chunks.plan."""
        return {"chunks": chunks.plan(self._now(request), request["bytes"])}

    def _read(self, request: Message, descriptors: list[int]) -> None:
        if descriptors:
            if request.get("mode") not in ("eval", "train") or request["precision"] not in DTYPES:
                raise ProtocolError(f"{request.get('mode')!r} at {request.get('precision')!r}")
            train = request["mode"] == "train"
            self._on_card = request.get("on_card", False)
            self._weights = request.get("weights")
            source = content(descriptors[0])
            self._settings = Settings(source, request["path"], train, request["precision"])

    def _now(self, request: Message) -> Settings:
        """The file, with the constants that a request has for it."""
        if self._settings is None:
            raise ProtocolError("no file was given yet: 'describe' brings it")
        return replace(self._settings, constants=request.get("constants", {}))

    def _build(self, request: Message, descriptors: list[int]) -> Message:
        """{"do": "build", "seed", "state": [tensor + "name"], "init_tensors"?: [tensor],
        "integers"?: bool, "other_constants"?: bool, "loaded"?: bool, "constants"?,
        "memories"?: ["constants"]} + [memory]. Builds the model under the seed as a candidate is
        built, loads it with the weights that "describe" named, and writes its state where it is
        asked to; the rest is left out. The first two are of integer_draws.py and
        other_constants.py.
        """
        memories = Memories.of(request, descriptors, ["constants"])
        settings, seed = self._now(request), seed_of(request)
        begun = time.monotonic_ns()
        if self._built:
            unload(self._built.problem)
        self._built = None  # its memory is needed
        trail, given = Trail(), []

        def arguments(get: Callable[[], Any]) -> Any:
            result = get()
            given.extend(result)
            return result

        problem = building.load(settings.with_constants(), settings.path, seed, trail)
        if problem.get_init_inputs is not None:
            problem = replace(problem, get_init_inputs=partial(arguments, problem.get_init_inputs))
        integers = IntegerDraws() if request.get("integers") else nullcontext()
        others = OtherConstants(seed) if request.get("other_constants") else nullcontext()
        with blame("setup", settings.path), OnCpu(trail), integers, others:
            build = partial(problem.build, partial(seed_all, seed))
            model = construct(build, settings.train, settings.precision)
            if request.get("loaded"):
                self._load_weights(model)
        # Blamed on the problem: what is built may be other than what was described without data.
        with blame("setup", settings.path):
            values = {each.name: each.tensor for each in held(model)}
            for spec in request.get("state", ()):
                write(memories.tensor(spec), values[spec["name"]])
            tensors = [leaf for leaf in pytree.tree_leaves(given) if isinstance(leaf, Tensor)]
            for spec, tensor in zip(request.get("init_tensors", ()), tensors, strict=True):
                write(memories.tensor(spec), tensor)
        self._built = Built(problem, Callee(model), card=self._card(model, settings))
        return {"built": {"ns": time.monotonic_ns() - begun}}

    def _load_weights(self, model: nn.Module) -> None:
        if self._weights is None:
            raise ProtocolError("no weights were named: 'describe' does")
        loaded_weights.load(model, self._weights)

    def _load(self, request: Message, descriptors: list[int]) -> Message:
        """{"do": "load", "state": [tensor + "name"]} + [memory]: of the model that was built."""
        built = self._of_before()
        memories = Memories.of(request, descriptors, ["constants"])
        copies, model = memories.copies(), built.eager.model
        assign(model, {spec["name"]: copies.tensor(spec) for spec in request["state"]})
        built.eager, built.double = Callee(model), None
        built.card = self._card(model, self._now(request))
        return {"loaded": {}}

    def _card(self, model: nn.Module, settings: Settings) -> OnCard | None:
        return OnCard(model, settings) if self._on_card else None

    def _of_before(self) -> Built:
        if self._built is None:
            raise ProtocolError("no model was built yet: 'build' does")
        return self._built

    def _inputs(self, request: Message, descriptors: list[int]) -> Message:
        """{"do": "inputs", "seed", "trial"?, "inputs": [tensor | null], "draws"?,
        "memories"?: ["inputs"]} + [memory]. Draws all inputs under the seed, and writes those that
        have a place: the n-th of the flattened arguments. One with "constant" is as the file makes
        it where it is described, whatever the seed. They take "slot_bytes"? {memory: bytes} of
        it; absent: all. They are cast to the precision. `draws` is {"interior": true} or
        {"numbers": tensor, "chosen": tensor, "within": bool}: what the file's code draws is another
        then, and of numbers it is told which input comes of them (given_draws.py). With `trial` the
        seed is trial_seed() of the one that is given.
        """
        built, seed = self._of_before(), seed_of(request)
        if "trial" in request:
            seed = trial_seed(seed, request["trial"])
        memories = Memories.of(request, descriptors, ["inputs"])
        settings = self._now(request)
        dtype = DTYPES[settings.precision]
        draws = _draws(request, memories)
        constants = self._constants(built, request["inputs"])
        with blame("setup", settings.path), OnCpu(Trail()), draws or nullcontext():
            leaves = pytree.tree_leaves(built.problem.inputs(partial(seed_all, seed)))
        leaves = [constants.get(n, leaf) for n, leaf in enumerate(leaves)]
        if self._domains and draws is None:
            with blame("load", settings.path):
                domains.require(self._domains, leaves)
        with blame("setup", settings.path):
            for leaf, spec in zip(leaves, request["inputs"], strict=True):
                if spec is not None and is_tensor(spec):
                    to = dtype if dtype and leaf.is_floating_point() else leaf.dtype
                    write(memories.tensor(spec), leaf.to(to))
        return {"drawn": {"from": draws.told(leaves)} if isinstance(draws, GivenDraws) else {}}

    def _constants(self, built: Built, places: list[Message | None]) -> dict[int, Tensor]:
        """The inputs of which the places say so."""
        wanted = [n for n, place in enumerate(places) if place and place.get("constant")]
        if wanted and built.constants is None:
            path = self._settings.path if self._settings else ""
            with blame("setup", path), OnCpu(Trail()):
                leaves = pytree.tree_leaves(
                    built.problem.inputs(partial(seed_all, described.FIRST_SEED))
                )
            built.constants = {n: leaves[n] for n in wanted}
        return built.constants or {}

    def _compute(self, request: Message, descriptors: list[int]) -> Message:
        """See reference.compute."""
        built, settings = self._of_before(), self._now(request)
        memories = Memories.of(request, descriptors, ["inputs", "reference", "baseline"])
        on_card = built.card and built.card.compute(self._structure, request, memories)
        if on_card:
            return {"computed": on_card | _peak()}
        wants_double = request.get("double", True)
        if built.double is None and wants_double:
            built.double = reference.doubled(built.eager.model, settings.path)
        double = built.double if wants_double else None
        computed = reference.compute(
            built.eager, double, self._structure, settings, request, memories
        )
        if built.card:
            computed["computed_on"] = built.card.instead()
        return {"computed": computed | _peak()}


def _peak() -> Message:
    return {"peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10}


def _draws(request: Message, memories: Memories) -> OtherDraws | None:
    draws = request.get("draws", {})
    if "numbers" in draws:
        copies = memories.copies()
        numbers, chosen = (copies.tensor(draws[name]) for name in ("numbers", "chosen"))
        return GivenDraws(numbers, chosen, draws["within"])
    return InteriorDraws() if draws.get("interior") else None
