"""The job `export`: a workload file to MLIR, without the data.

The model and its inputs are built as fake tensors, which have shapes and no memory, and weights
become named parameters: what needs gigabytes to run needs milliseconds to export. The steps stand
in `export`, in order, each under the failure class it is blamed for.
"""

import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, BinaryIO

import torch
from iree.turbine import aot
from torch._subclasses.fake_tensor import FakeTensor
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from assay_worker import dialect, dynamic_sizes, hub_files, kernelbench
from assay_worker.aliases import explained, require_unshared
from assay_worker.building import DTYPES, Built, Rung, build, default_dtype, load, rungs
from assay_worker.decompose import decompose
from assay_worker.failure import Failed, Unsupported, blame
from assay_worker.first_call import fallback_of_later_calls, what_it_leaves
from assay_worker.kernelbench import Problem
from assay_worker.on_cpu import OnCpu, ignore_default_device
from assay_worker.passes.base import Pass
from assay_worker.passes.table import PASSES
from assay_worker.protocol import Message, ProtocolError
from assay_worker.route import PARAMETER_SCOPE, Route
from assay_worker.seeding import seed_of
from assay_worker.signature import (
    describe_inputs,
    describe_outputs,
    describe_parameters,
    describe_state,
)
from assay_worker.stablehlo import STABLEHLO
from assay_worker.state import carry_state
from assay_worker.torch_mlir_route import TORCH_MLIR
from assay_worker.trail import Trail

TakeApart = Callable[[ExportedProgram, Sequence[Pass], Trail], ExportedProgram]

# Of a failed trace: that a tensor had no values, or was of another fake mode.
_LACKED_VALUES = re.compile(r"[Ff]ake ?[Tt]ensor|fake mode|DataDependentOutput")
_FAKE_CONSTANT = "fake tensor in the exported program constant"


@dataclass(frozen=True)
class Settings:
    """What a job says of how to export."""

    path: str
    seed: int
    train: bool = False
    precision: str = "f32"
    passes: Sequence[Pass] = PASSES
    route: str = "torch"
    # What tensors with values may take while the model is built, where it can't be without.
    real_bytes: int = 0


class LacksValues(Unsupported):
    """The program reads a constant whose values were never computed."""


def answer(job: Message, descriptors: list[int]) -> Message:
    """Does one job {"job": "export", "path", "mode": "eval" | "train", "precision", "seed"}.

    It may have "real_bytes", "route", a key of ROUTES, and "without", a list of passes to leave
    out. `descriptors` are [the file's bytes, an empty file for the MLIR]; both are closed. Returns
    the final answer: `ok`, `failed` or `unsupported`. Raises ProtocolError for a job that is none.
    """
    if len(descriptors) != 2 or not isinstance(job.get("path"), str):
        raise ProtocolError("an export needs a path and two descriptors: source and MLIR")
    if job.get("mode") not in ("eval", "train"):
        raise ProtocolError(f"an export in the mode {job.get('mode')!r}: 'eval' or 'train'")
    seed = seed_of(job)
    with open(descriptors[0], "rb") as source, open(descriptors[1], "wb") as mlir:
        try:
            if job.get("precision") not in DTYPES:
                known = ", ".join(DTYPES)
                raise Unsupported(f"the precision {job.get('precision')!r}: {known} are exported")
            route = job.get("route", Settings.route)
            if route not in ROUTES:
                raise ProtocolError(f"an export by the route {route!r}: {', '.join(ROUTES)}")
            settings = Settings(
                job["path"],
                seed,
                job["mode"] == "train",
                job["precision"],
                [e for e in ROUTES[route].passes if e.name not in job.get("without", ())],
                route,
                job.get("real_bytes", 0),
            )
            source.seek(0)  # the offset is shared with assay, which has just written the file
            ok = export(source.read(), settings, mlir)
        except (Failed, Unsupported) as finding:
            return finding.answer()
    return {"final": True, "ok": ok}


def export(source: bytes, settings: Settings, mlir: Any) -> Message:
    """Writes the MLIR text to the binary file `mlir`; returns the description of the program.

    The text is a function of the arguments alone: no path, time or address gets into it.
    Raises Failed or Unsupported.
    """
    path, passes = settings.path, settings.passes
    trail, ways = Trail(), rungs(settings.real_bytes)
    with torch.no_grad():
        built, described, program = _climb(source, settings, ways, trail)
        outputs = describe_outputs(program)
        state = carry_state(program)
        require_unshared(built.repeated, state.mutated_inputs)
        with blame("import", path), ExitStack() as importing:
            for each in passes:
                importing.enter_context(each.importing(trail.note(each.name)))
            ROUTES[settings.route].write(built.model, program, mlir)
            mlir.flush()
            parameters = describe_parameters(built.model, state.buffers)
    files = hub_files.seen()
    return {
        "inputs": described,
        "outputs": outputs,
        "state": describe_state(built.model, state.buffers),
        "mutated_inputs": state.mutated_inputs,
        "parameters": parameters,
        "mlir_bytes": os.fstat(mlir.fileno()).st_size,
        **trail.describe([each.name for each in passes]),
        **({"hub_files": files} if files else {}),
    }


def _take_apart(program: ExportedProgram, passes: Sequence[Pass], trail: Trail) -> ExportedProgram:
    return decompose(program, passes, dialect.knows, trail)


def _write(model: torch.nn.Module, program: ExportedProgram, file: BinaryIO) -> None:
    aot.externalize_module_parameters(model, external_scope=PARAMETER_SCOPE)
    aot.export(program).mlir_module.print(file=file, binary=True)


# How the program becomes MLIR: in the torch dialect by turbine; in StableHLO by JAX, or torch-mlir.
ROUTES = {
    "torch": Route(passes=PASSES, take_apart=_take_apart, write=_write, has_dynamic_sizes=True),
    "stablehlo": STABLEHLO,
    "torch-mlir": TORCH_MLIR,
}


def _load_again(problem: Problem, source: bytes, settings: Settings, trail: Trail) -> Problem:
    """The problem without what an earlier build left in its file: a table in a cache, say.

    A file that can't be loaded twice, since it registers something under a name, stays as it is.
    """
    try:
        again = load(source, settings.path, settings.seed, trail)
    except (Failed, Unsupported):
        ignore_default_device(trail)
        return problem
    kernelbench.unload(problem)
    return again


def _climb(
    source: bytes, settings: Settings, ways: list[Rung], trail: Trail
) -> tuple[Built, list[Message], ExportedProgram]:
    """Loads, builds and traces with as few values as will do: see building.rungs.

    Raises what the last of the ways raised, which is the nearest to what torch itself would say.
    """
    problem = load(source, settings.path, settings.seed, trail)
    finding: Failed | LacksValues | None = None
    for rung in ways:
        trail.begin_again(rung.word)
        if finding:
            problem = _load_again(problem, source, settings, trail)
        try:
            with blame("setup", settings.path):
                built = build(
                    problem,
                    settings.seed,
                    settings.train,
                    settings.precision,
                    settings.passes,
                    trail,
                    rung,
                )
            if built.dynamic_shapes is not None and not ROUTES[settings.route].has_dynamic_sizes:
                raise Unsupported(
                    f"`{dynamic_sizes.NAME}()` leaves sizes open, which the author iree alone takes"
                )
            described = describe_inputs(built.inputs)
            with blame("export", settings.path):
                _reopen_output()
                with default_dtype(settings.precision), OnCpu(trail):
                    take_apart = ROUTES[settings.route].take_apart
                    program = trace(built, settings.passes, take_apart, trail)
            return built, described, program
        except (Failed, LacksValues) as found:
            finding = found
            if isinstance(found, Failed) and not _may_lack_values(found):
                raise
    assert finding is not None
    wanted_bytes = ways[-1].values.wanted_bytes if ways[-1].values else 0
    if isinstance(finding, Failed) and _FAKE_CONSTANT in finding.error:
        finding = LacksValues(
            "`forward` reads a tensor, kept in a list or the like, that is computed while the "
            "model is built and is too large for that here: make it a parameter, or a buffer"
        )
    if wanted_bytes > settings.real_bytes > 0:
        reason = finding.error if isinstance(finding, Failed) else str(finding)
        raise Unsupported(
            f"the model is built by computing, and with {settings.real_bytes} bytes of tensors "
            f"that can't be done: it may take {wanted_bytes}. {reason}"
        )
    raise finding


def _may_lack_values(finding: Failed) -> bool:
    if finding.failure_class == "setup":
        return True
    return finding.failure_class == "export" and bool(_LACKED_VALUES.search(finding.error))


def trace(
    built: Built, passes: Sequence[Pass], take_apart: TakeApart, trail: Trail
) -> ExportedProgram:
    """Traces the model, and takes the program apart and through `passes`.

    Raises Unsupported where another call would compute something else, by more than what a program
    carries.
    """
    with what_it_leaves(built.model) as left:
        program = _traced(built, built.model, passes, trail)
    # Before anything is computed with them: torch reads constants, and crashes without data.
    _require_values(program)
    if built.values and built.values.shows_in(program.constants.values()):
        trail.fell_back("other_random")

    def functional(model: torch.nn.Module) -> ExportedProgram:
        unheard = Trail()
        twice = _traced(built, model, passes, unheard)
        with built.fake:
            return take_apart(twice, passes, unheard)

    if word := fallback_of_later_calls(built.model, left, functional):
        trail.fell_back(word)
    with built.fake, explained(built.model, built.inputs, program.constants):
        program = take_apart(program, passes, trail)
        for each in passes:
            trail.changed(each.name, each.rewrite(program))
    return program


def _traced(
    built: Built, model: torch.nn.Module, passes: Sequence[Pass], trail: Trail
) -> ExportedProgram:
    with built.fake, ExitStack() as tracing:
        for each in passes:
            tracing.enter_context(each.tracing(trail.note(each.name)))
        # Torch warns of what is put back here, and of lists that recurrent modules keep.
        tracing.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", message=".*assigned during export")
        # Non-strict: strict tracing took 43 s on a file that takes 0.1 s this way.
        shapes = built.dynamic_shapes
        with dynamic_sizes.explained(shapes is not None):
            return torch.export.export(
                model, tuple(built.inputs), dynamic_shapes=shapes, strict=False
            )


def _reopen_output() -> None:
    """Torch asks sys.stdout whether it is a terminal, and a workload may have closed it."""
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        if getattr(getattr(sys, name), "closed", True):
            setattr(sys, name, open(descriptor, "w", buffering=1, closefd=False))


def _require_values(program: ExportedProgram) -> None:
    """Raises LacksValues when the program reads a constant whose values were never computed."""
    placeholders = {n.name: n for n in program.graph.nodes if n.op == "placeholder"}
    for spec in program.graph_signature.input_specs:
        constant = spec.kind == InputKind.CONSTANT_TENSOR or spec.persistent is False
        if not constant or not placeholders[spec.arg.name].users:
            continue
        if isinstance(program.constants.get(spec.target), FakeTensor):
            name = spec.target.rpartition(".")[2]
            raise LacksValues(
                f"`{spec.target}` is computed while the model is built, and is too large for that "
                f"here: make it a parameter or a persistent buffer, register_buffer('{name}', ...)"
            )
