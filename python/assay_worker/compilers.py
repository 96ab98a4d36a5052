"""Who compiles the problem's own model, in the process that calls it: a row of COMPILERS for each.

What a compiler is given is a model and the arguments of a first call; what it gives is called with
arguments from then on. Its work is part of the first call, which is not timed. A compiler that
can't take a model raises what it raises: the verdict says it.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from assay_worker.failure import Explained, chain, text_of
from assay_worker.left_program import LeftProgram, mark_of
from assay_worker.stablehlo import decomposed, function_of, import_torchax, load_torchax

Call = Callable[..., Any]

# What a compiler's parts take, in ns of wall time: "export_ns", from the model to a program, and
# "compile_ns", from that to what is called. Nothing of a call itself.
Costs = dict[str, int]


class NotTaken(Explained):
    """The compiler does not take such a model."""


def compiled(model: torch.nn.Module, name: str, left: LeftProgram | None = None) -> torch.nn.Module:
    """The model as the compiler of this name runs it.

    `left`: what an earlier process has compiled, of a compiler that can go on from that.
    """
    if name == "inductor":
        model.compile()
        return model
    return _Compiled(model, name, left)


class _Compiled(torch.nn.Module):  # type: ignore[misc]
    """Compiles in its first call."""

    def __init__(self, model: torch.nn.Module, name: str, left: LeftProgram | None) -> None:
        super().__init__()
        self.model = model
        self._name = name
        self._left = left
        self._call: list[Call] = []  # in a list: no part of its state
        self.costs: Costs = {}

    def forward(self, *arguments: Any) -> Any:
        if not self._call:
            if self.model.training:
                raise NotTaken(f"{self._name} takes models in eval mode alone")
            compile_ = COMPILERS[self._name]
            self._call.append(compile_(self.model, arguments, self.costs, self._left))
        return self._call[0](*arguments)


class Compiling:
    """Says what compiling a model has taken, once: asking again costs the calls that are timed
    nothing."""

    def __init__(self, model: torch.nn.Module | None = None) -> None:
        """None: nothing is compiled."""
        self._model = model
        # Of inductor, which counts for all of a process, what the image has compiled to warm up.
        self._before = {} if model is None or isinstance(model, _Compiled) else _costs_of_inductor()

    def news(self) -> str:
        """JSON of Costs, behind the call that has compiled; else ""."""
        if self._model is None:
            return ""
        is_own = isinstance(self._model, _Compiled)
        costs: Costs = self._model.costs if is_own else _costs_of_inductor()
        since = {part: ns - self._before.get(part, 0) for part, ns in costs.items()}
        if not any(since.values()):
            return ""
        self._model = None
        return json.dumps(since)


def _costs_of_inductor() -> Costs:
    from torch._dynamo.utils import calculate_time_spent  # loaded by whoever has compiled

    spent = calculate_time_spent()
    whole, backend = (spent.get(f"{part}_compile", 0.0) for part in ("entire_frame", "backend"))
    if not whole:
        return {}
    return {"export_ns": round((whole - backend) * 1e9), "compile_ns": round(backend * 1e9)}


@contextmanager
def _counted(costs: Costs, part: str) -> Iterator[None]:
    begin = time.perf_counter_ns()
    yield
    costs[part] = costs.get(part, 0) + time.perf_counter_ns() - begin


def _exported(model: torch.nn.Module, arguments: Sequence[Any]) -> torch.export.ExportedProgram:
    with torch.no_grad():
        return torch.export.export(model, tuple(arguments), strict=False)


def _require_functional(program: torch.export.ExportedProgram) -> None:
    """Of one in which nothing is done in place any more."""
    if program.graph_signature.user_inputs_to_mutate:
        raise NotTaken("it changes an argument of its call")


class _Results:
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


class _OnlyTensors(torch.nn.Module):  # type: ignore[misc]
    """A model that returns tensors alone. To export it says what it returns beside them."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model
        self.results = _Results()

    def forward(self, *arguments: Any) -> list[Tensor]:
        return self.results.take_apart(self.model(*arguments))


def _count_jax(costs: Costs) -> None:
    """Adds what JAX says of its own work, which it does in the first call.

    Functions that are traced within another say so, too: the outermost is the last.
    """
    import jax

    traced = [0]

    def take(event: str, seconds: float, **_: Any) -> None:
        ns = round(seconds * 1e9)
        if event.endswith("/jaxpr_trace_duration"):
            traced[0] = ns
        elif event.endswith("/jaxpr_to_mlir_module_duration"):
            costs["export_ns"] = costs.get("export_ns", 0) + traced[0] + ns
        elif event.endswith("/backend_compile_duration"):
            costs["compile_ns"] = costs.get("compile_ns", 0) + ns

    jax.monitoring.register_event_duration_secs_listener(take)


@dataclass(frozen=True)
class _XlaProgram:
    """What XLA has compiled, and what it is called with before a call's own tensors."""

    executable: Any  # as jax.experimental.serialize_executable has it
    parameters: list[str]  # names in the state of _OnlyTensors
    constants: list[str | Tensor]  # names of its attributes; else values that stand in the code
    form: list[Any]  # of _Results


def by_xla(
    model: torch.nn.Module, arguments: Sequence[Any], costs: Costs, left: LeftProgram | None
) -> Call:
    """torchax makes a function of JAX of it, which XLA compiles for the CPU.

    Its first call raises NotWritten of an operation that torchax has not got, or JAX does not take.
    """
    # XLA's pool of threads has as many; it is made once for a process.
    os.environ["NPROC"] = str(torch.get_num_threads())
    load_torchax()
    import jax
    from jax.experimental import serialize_executable
    from torchax.ops import mappings

    def inputs_of(arguments: Sequence[Any]) -> list[Any]:
        tensors = [leaf for leaf in pytree.tree_leaves(arguments) if isinstance(leaf, Tensor)]
        return [jax.dlpack.from_dlpack(each.contiguous()) for each in tensors]

    def copied(tensors: Sequence[Tensor]) -> list[Any]:
        return [mappings.t2j(each.detach(), use_dlpack=False) for each in tensors]

    only_tensors = _OnlyTensors(model)
    results = only_tensors.results

    def taken_up(found: _XlaProgram) -> tuple[Any, Any]:
        state = only_tensors.state_dict(keep_vars=True)
        constants = [
            _attribute(only_tensors, each) if isinstance(each, str) else each
            for each in found.constants
        ]
        held = copied([state[name] for name in found.parameters]), copied(constants)
        results.form = found.form
        return serialize_executable.deserialize_and_load(*found.executable), held

    def compiled_anew() -> tuple[Any, Any]:
        import_torchax()
        with _counted(costs, "export_ns"):
            program = decomposed(_exported(only_tensors, arguments))
            _require_functional(program)
            function = function_of(program)
        names = [name for name, _ in function.parameters]
        # Constants are arguments, too: XLA would take its time to compute with them beforehand.
        held = copied([program.state_dict[name] for name in names]), copied(function.constants)
        buffers = len(program.graph_signature.buffers_to_mutate)  # the first of what it returns
        _count_jax(costs)
        run = jax.jit(lambda *given: function.call(*given)[buffers:])
        if not left:
            return run, held
        run = run.lower(*held, inputs_of(arguments)).compile()
        known = zip(function.constant_names, function.constants, strict=True)
        constants = [
            value if _attribute(only_tensors, name) is None else name for name, value in known
        ]
        executable = serialize_executable.serialize(run)
        left.write(
            mark_of(model, arguments), _XlaProgram(executable, names, constants, results.form)
        )
        return run, held

    ready: tuple[Any, Any] | None = None
    # Whatever stands in the way of going on from another's program, compiling anew says it.
    with suppress(Exception):
        if left and (found := left.read(mark_of(model, arguments))):
            ready = taken_up(found)
    run, held = ready or compiled_anew()

    def call(*arguments: Any) -> Any:
        given = run(*held, inputs_of(arguments))
        jax.block_until_ready(given)
        return results.around([torch.from_dlpack(each) for each in given])

    return call


def _attribute(model: torch.nn.Module, name: str) -> Tensor | None:
    """A tensor that the model has under this path; None: what an export has called so is none."""
    value: Any = model
    for part in name.split("."):
        value = getattr(value, part, None)
    return value if isinstance(value, Tensor) else None


def by_onnxruntime(
    model: torch.nn.Module, arguments: Sequence[Any], costs: Costs, _: LeftProgram | None
) -> Call:
    """ONNX Runtime runs it on the CPU: a file in ONNX itself, or what torch exports as ONNX."""
    import onnxruntime

    given = [leaf for leaf in pytree.tree_leaves(arguments) if isinstance(leaf, Tensor)]
    if any(each.dtype == torch.bfloat16 for each in (*given, *model.parameters())):
        raise NotTaken("onnxruntime is called with NumPy's arrays here, which have no bf16")
    only_tensors = _OnlyTensors(model)
    is_in_onnx = hasattr(model, "as_onnx")
    with _counted(costs, "export_ns"):
        content = model.as_onnx() if is_in_onnx else _in_onnx(only_tensors, arguments)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    with _counted(costs, "compile_ns"):
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]

    def call(*arguments: Any) -> Any:
        leaves = [leaf for leaf in pytree.tree_leaves(arguments) if isinstance(leaf, Tensor)]
        values = [leaf.detach().contiguous().numpy() for leaf in leaves]
        given = session.run(None, dict(zip(names, values, strict=True)))
        results = [torch.from_numpy(each) for each in given]
        if is_in_onnx:
            return results[0] if len(results) == 1 else tuple(results)
        return only_tensors.results.around(results)

    return call


def _in_onnx(model: torch.nn.Module, arguments: Sequence[Any]) -> bytes:
    program = _exported(model, arguments)
    _require_functional(program.run_decompositions({}))
    try:
        exported = torch.onnx.export(program, dynamo=True, verbose=False)
    except torch.onnx.errors.OnnxExporterError as error:
        # Its own first lines are advice; what led to it says which operation.
        inner = text_of(list(chain(error))[-1])
        raise NotTaken("torch.onnx: " + inner.strip().partition("\n")[0]) from error
    assert exported is not None
    content: bytes = exported.model_proto.SerializeToString()
    return content


Compile = Callable[[torch.nn.Module, Sequence[Any], Costs, "LeftProgram | None"], Call]
COMPILERS: dict[str, Compile] = {
    "xla": by_xla,
    "onnxruntime": by_onnxruntime,
}
