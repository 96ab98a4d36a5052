"""Who compiles the problem's own model, in the process that calls it: a row of COMPILERS for each.

What a compiler is given is a model and the arguments of a first call; what it gives is called with
arguments from then on. Its work is part of the first call, which is not timed. A compiler that
can't take a model raises what it raises: the verdict says it.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from assay_worker.failure import Explained, chain, text_of
from assay_worker.stablehlo import decomposed, function_of, import_torchax

Call = Callable[..., Any]

# What a compiler's parts take, in ns of wall time: "export_ns", from the model to a program, and
# "compile_ns", from that to what is called. Nothing of a call itself.
Costs = dict[str, int]


class NotTaken(Explained):
    """The compiler does not take such a model."""


def compiled(model: torch.nn.Module, name: str) -> torch.nn.Module:
    """The model as the compiler of this name runs it."""
    if name == "inductor":
        model.compile()
        return model
    return _Compiled(model, name)


class _Compiled(torch.nn.Module):  # type: ignore[misc]
    """Compiles in its first call."""

    def __init__(self, model: torch.nn.Module, name: str) -> None:
        super().__init__()
        self.model = model
        self._name = name
        self._call: list[Call] = []  # in a list: no part of its state
        self.costs: Costs = {}

    def forward(self, *arguments: Any) -> Any:
        if not self._call:
            if self.model.training:
                raise NotTaken(f"{self._name} takes models in eval mode alone")
            self._call.append(COMPILERS[self._name](self.model, arguments, self.costs))
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


def _only_tensors(model: torch.nn.Module) -> tuple[torch.nn.Module, Callable[..., Any]]:
    """A model that returns those results that are tensors, which are all that a compiler has.

    And what puts them back in the containers of the first, once that was exported, beside None and
    numbers of Python's: these are the same in each call.
    """
    returned: list[Any] = []  # leaves, and their tree; no attribute, which an export would restore

    class OnlyTensors(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *arguments: Any) -> list[Tensor]:
            leaves, tree = pytree.tree_flatten(self.model(*arguments))
            returned[:] = [[None if isinstance(x, Tensor) else (x,) for x in leaves], tree]
            return [each for each in leaves if isinstance(each, Tensor)]

    def results(tensors: Sequence[Any]) -> Any:
        others, tree = returned
        left = iter(tensors)
        return pytree.tree_unflatten([x[0] if x else next(left) for x in others], tree)

    return OnlyTensors(), results


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


def by_xla(model: torch.nn.Module, arguments: Sequence[Any], costs: Costs) -> Call:
    """torchax makes a function of JAX of it, which XLA compiles for the CPU.

    Its first call raises NotWritten of an operation that torchax has not got, or JAX does not take.
    """
    # XLA's pool of threads has as many; it is made once for a process.
    os.environ["NPROC"] = str(torch.get_num_threads())
    import_torchax()
    import jax
    import torchax

    only_tensors, results_of = _only_tensors(model)
    with _counted(costs, "export_ns"):
        program = decomposed(_exported(only_tensors, arguments))
        _require_functional(program)
        function = function_of(program)
    # Constants are arguments, too: XLA would take its time to compute with them beforehand.
    parameters, constants = torchax.default_env().t2j_copy(
        ([program.state_dict[name] for name, _ in function.parameters], function.constants)
    )
    buffers = len(program.graph_signature.buffers_to_mutate)  # the first of what it returns

    @jax.jit  # type: ignore[untyped-decorator]
    def jitted(*given: Sequence[Any]) -> Any:
        return function.call(*given)[buffers:]

    _count_jax(costs)

    def call(*arguments: Any) -> Any:
        inputs = [
            jax.dlpack.from_dlpack(leaf.contiguous())
            for leaf in pytree.tree_leaves(arguments)
            if isinstance(leaf, Tensor)
        ]
        given = jitted(parameters, constants, inputs)
        jax.block_until_ready(given)
        return results_of([torch.from_dlpack(each) for each in given])

    return call


def by_onnxruntime(model: torch.nn.Module, arguments: Sequence[Any], costs: Costs) -> Call:
    """ONNX Runtime runs it on the CPU: a file in ONNX itself, or what torch exports as ONNX."""
    import onnxruntime

    given = [leaf for leaf in pytree.tree_leaves(arguments) if isinstance(leaf, Tensor)]
    if any(each.dtype == torch.bfloat16 for each in (*given, *model.parameters())):
        raise NotTaken("onnxruntime is called with NumPy's arrays here, which have no bf16")
    only_tensors, results_of = _only_tensors(model)
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
        return results_of(results)

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


COMPILERS: dict[str, Callable[[torch.nn.Module, Sequence[Any], Costs], Call]] = {
    "xla": by_xla,
    "onnxruntime": by_onnxruntime,
}
