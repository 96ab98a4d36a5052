"""The image `suite`: has imported torch and Triton's interpreter; a worker runs one kernel's tests.

Public suites of Triton kernels test each kernel by a piece of Python that leaves its results in a
variable. That piece is run here as it is, behind the kernel's own code and on the CPU; what it
leaves is written into a file for the judge, who compares. What runs here is not to be believed.
"""

import ast
import builtins
import contextlib
import functools
import importlib
import io
import json
import linecache
import os
import random
import re
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy
import torch

from assay_worker import gpu, pytest_stand_in, result_tree
from assay_worker.failure import Failed, Unsupported, blame, chain, frames, text_of
from assay_worker.gpu_kernels import compile_by
from assay_worker.on_cpu import OnCpu
from assay_worker.own_tests import drop_tests, is_test
from assay_worker.protocol import Channel, Message
from assay_worker.seeding import seed_all, seed_of
from assay_worker.trail import Trail
from assay_worker.zygote import Image

# The device that code is told it has: Triton's interpreter asks for one, and so do most tests.
DEVICE = {
    "kind": "cuda",
    "architecture": "sm_80",
    "warp_threads": 32,
    "shared_bytes": 166912,
    "compile": False,
}
MODULE = "__main__"  # as where a file is run by itself, and not by pytest
# Of pytest's: what a suite leaves out where kernels are to be right, and not fast.
_NO_TESTS = re.compile("test_performance|test_save_performance_results|test_save_results")


# What tests call as they end, by a name that no file has.
_KEEPER = "__assay_keep_locals__"
# What tests of pytest put into their results once the kernel has run.
_CALLED = "_CALL_SUCCESS_"


@dataclass
class _Watch:
    """What is seen of kernels, once something watches them."""

    seen: Any = None


WATCH = _Watch()


def warm_up() -> None:
    """All that is done to torch and Triton for files that expect a GPU, and one small kernel."""
    gpu.pretend(DEVICE)
    _stand_in_for_the_rest()
    from assay_worker import block_pointers, interpreter_watch, warm_kernel

    WATCH.seen = interpreter_watch.install()
    block_pointers.install()
    warm_kernel.launch()
    WATCH.seen.launches.clear()
    torch.testing.assert_close(torch.zeros(1), torch.zeros(1))  # it loads half a second's worth
    pytest_stand_in.install()
    torch.nn.Linear(4, 4)(torch.rand(2, 4)).sum().item()


# Of torch: what makes a tensor where it is told to. The mode that takes a device for the CPU is not
# in force while gradients are computed.
_FACTORIES = (
    "empty zeros ones full rand randn randint randperm arange linspace eye tensor as_tensor "
    "empty_like zeros_like ones_like full_like rand_like randn_like empty_strided logspace"
).split()
_METHODS = ("new_empty", "new_zeros", "new_ones", "new_full", "new_tensor", "new_empty_strided")


def _stand_in_for_the_rest() -> None:
    """What public suites ask of torch's devices beyond what other candidates do."""
    set_default = torch.set_default_device

    def set_default_device(device: Any) -> None:
        if device is None or str(device).startswith(("cpu", "meta")):
            set_default(device)

    torch.set_default_device = set_default_device
    cuda: Any = torch.cuda
    cuda.get_rng_state = lambda *_: torch.get_rng_state()
    cuda.set_rng_state = lambda state, *_: torch.set_rng_state(state)
    cuda.default_generators = (torch.default_generator,) * 8
    for name in ("is_bf16_supported", "is_tf32_supported"):
        setattr(cuda, name, lambda *_, **__: True)
    for name in (
        "seed",
        "seed_all",
        "reset_max_memory_allocated",
        "reset_accumulated_memory_stats",
        "_lazy_init",
    ):
        setattr(cuda, name, lambda *_: None)
    for name in ("memory_reserved", "max_memory_reserved", "utilization", "initial_seed"):
        setattr(cuda, name, lambda *_, **__: 0)
    for name in ("_DeviceGuard", "device", "device_of"):
        setattr(cuda, name, lambda *_: contextlib.nullcontext())
    native: Any = torch._C
    native._cuda_getCurrentRawStream = lambda *_: 0
    native._dynamo.guards._empty_strided_cuda = lambda size, stride, dtype: torch.empty_strided(
        size, stride, dtype=dtype
    )
    tensors: Any = torch.Tensor
    tensors.pin_memory = lambda tensor, *_, **__: tensor
    tensors.cuda = lambda tensor, *_, **__: tensor
    torch.nn.Module.cuda = lambda module, *_, **__: module
    for owner, names in ((torch, _FACTORIES), (torch.Tensor, _METHODS)):
        for name in names:
            setattr(owner, name, _on_cpu(getattr(owner, name)))


def _on_cpu(make: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(make)
    def made(*arguments: Any, **named: Any) -> Any:
        device = named.get("device")
        if device is not None and str(device).startswith(("cuda", "hip")) or type(device) is int:
            named["device"] = "cpu"
        return make(*arguments, **named)

    return made


def work(channel: Channel) -> None:
    """Reads the job, runs the tests, answers: {"ok": {...}}, or what broke."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    job, descriptors = channel.receive()
    parts: list[str] = []
    for descriptor in descriptors[:3]:
        with open(descriptor, "rb") as file:
            parts.append(file.read().decode("utf-8", "replace"))
    write_modules(json.loads(parts.pop()))
    if wanted := job.get("gpu"):
        compile_kernels(job, parts, descriptors[3], wanted)
        channel.answer({"final": True, "ok": _told()})
        return
    os.environ["TRITON_INTERPRET"] = "1"  # a jail has an environment of its own
    with open(descriptors[3], "wb") as results:
        try:
            answer: Message = {"final": True, "ok": run(job, parts[0], parts[1], results)}
        except Unsupported as error:  # the candidate can import it: it is a failure of its own
            failed = Failed("exception", f"{type(error).__name__}: {error}", "")
            answer = failed.answer() | {"seen": _told()}
        except Failed as finding:
            answer = finding.answer()
            if why := _why_not_here(finding.__context__):
                answer = Unsupported(why).answer()
            answer |= {"seen": _told()}
    channel.answer(answer)


def write_modules(modules: dict[str, str]) -> None:
    """What tests import, where they find it: this folder is the first that is looked in."""
    for name, text in modules.items():
        with open(f"{name}.py", "w", encoding="utf-8") as file:
            file.write(text)


def compile_kernels(job: Message, parts: list[str], descriptor: int, wanted: Message) -> None:
    """Has all kernels that the tests launch compiled: src/verify/gpu_kernels.h has what is told."""
    gpu.pretend(wanted)
    _stand_in_for_the_rest()
    from assay_worker import block_pointers

    block_pointers.install(compiles=True)
    pytest_stand_in.install()
    path = os.path.join(os.getcwd(), f"{job['name']}.py")
    compile_by(lambda: run(job, parts[0], parts[1], None), path, descriptor, wanted["phases"])


def run(job: Message, candidate: str, tests: str, results: Any) -> Message:
    """Runs the candidate's part, then the tests, in one module, as one file would be."""
    name = job["name"]
    path = os.path.join(os.getcwd(), f"{name}.py")
    tests_path = os.path.join(os.getcwd(), f"{name}.tests.py")
    for where, text in ((path, candidate), (tests_path, tests)):
        with open(where, "w", encoding="utf-8") as file:
            file.write(text)
    module = types.ModuleType(MODULE if job["style"] == "script" else f"{name}_tests")
    module.__file__ = path
    sys.modules[module.__name__] = module
    sys.argv = [path]
    sys.path.insert(0, os.getcwd())
    seed = seed_of(job)
    trail = Trail()
    replaced: list[str] = []
    kept = _Locals()
    with OnCpu(trail), _seeds(seed if job["secret"] else None):
        seed_all(seed)
        before = _bindings()
        with _no_exit(path, "load"), blame("load", path):
            code = parsed(candidate, path)
            if job["drops_tests"]:
                drop_tests(code)
            exec(compile(code, path, "exec"), module.__dict__)
        replaced = _restore(before)
        with _no_exit(tests_path, "exception"), blame("exception", tests_path):
            code = parsed(tests, tests_path)
            scratch = scratch_in(code)
            keep_locals(code)
            vars(module)[_KEEPER] = kept
            exec(compile(code, tests_path, "exec"), module.__dict__)
            if job["style"] == "pytest":
                _run_pytest(module, job)
        found, value = _result_of(module, job["results"])
    if results is not None:
        with blame("exception", tests_path):
            result_tree.write((value, kept.kept), results)
    return {"found": found, "replaced": replaced, "scratch": scratch, **_told()}


def parsed(text: str, path: str) -> ast.Module:
    """Its tree; what cannot be parsed raises, and names the line."""
    linecache.checkcache(path)
    return ast.parse(text, path)


_UNWRITTEN = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided")


def scratch_in(code: ast.Module) -> list[str]:
    """Workspaces of tests, as keep_locals() names them.

    What is made by torch.empty(), never looked at, and handed to calls whose value is taken. What
    is handed to a launch, or to a call for its own sake, is there for what is written into it.
    """
    return [
        f"{node.name}.{name}"
        for node in code.body
        if isinstance(node, ast.FunctionDef) and is_test(node.name)
        for name in sorted(_scratch_of(node))
    ]


def _scratch_of(test: ast.FunctionDef) -> set[str]:
    unwritten: set[int] = set()  # by what identifies a name in its place
    handed: set[int] = set()
    bare = {id(node.value) for node in ast.walk(test) if isinstance(node, ast.Expr)}
    for node in ast.walk(test):
        if isinstance(node, ast.Assign) and _makes_unwritten(node.value):
            unwritten |= {id(target) for target in node.targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.Call) and id(node) not in bare:
            handed |= {id(part) for part in (*node.args, *(each.value for each in node.keywords))}
    names = [node for node in ast.walk(test) if isinstance(node, ast.Name)]
    made = {node.id for node in names if id(node) in unwritten}
    others = {node.id for node in names if id(node) not in unwritten | handed}
    return made - others


def _makes_unwritten(value: ast.expr) -> bool:
    is_call = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
    return is_call and value.func.attr in _UNWRITTEN  # type: ignore[attr-defined]


def keep_locals(code: ast.Module) -> None:
    """Has each test tell what its variables are in the end: many return no more than shapes."""
    for node in code.body:
        if isinstance(node, ast.FunctionDef) and is_test(node.name):
            tell = ast.parse(f"{_KEEPER}({node.name!r}, locals())").body
            node.body = [ast.Try(body=node.body, handlers=[], orelse=[], finalbody=tell)]
    ast.fix_missing_locations(code)


class _Locals:
    """What tests had in variables when they ended, the last time."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    def __call__(self, test: str, variables: dict[str, Any]) -> None:
        for name, value in variables.items():
            if isinstance(value, torch.Tensor):
                self.kept[f"{test}.{name}"] = value.detach().clone()


@contextlib.contextmanager
def _no_exit(path: str, failure_class: str) -> Iterator[None]:
    """A sys.exit() there is no end of the tests: they were not run."""
    try:
        yield
    except Failed as failed:
        if isinstance(failed.__context__, SystemExit):
            raise Failed(
                failure_class,
                f"it ends the process before its tests are through: {failed}",
                failed.detail,
            ) from None
        raise


# Where candidates have been seen to put something of their own in the place of what tests call.
_WATCHED = ("torch", "torch.testing", "torch.nn.functional", "torch.linalg", "numpy", "math")


def _bindings() -> dict[str, dict[str, Any]]:
    modules = {name: dict(vars(sys.modules[name])) for name in _WATCHED if name in sys.modules}
    modules["builtins"] = dict(vars(builtins))
    return modules


def _restore(before: dict[str, dict[str, Any]]) -> list[str]:
    """Puts back what was replaced since, and names it."""
    replaced = []
    for name, bindings in before.items():
        module = vars(sys.modules[name])
        for key, value in bindings.items():
            if key.startswith("__") or isinstance(value, types.ModuleType):
                continue
            if module.get(key) is not value and callable(value):
                replaced.append(f"{name}.{key}")
                module[key] = value
    return replaced[:32]


@contextlib.contextmanager
def _seeds(secret: int | None) -> Iterator[None]:
    """With a secret seed, those that tests set by themselves follow from it, too."""
    if secret is None:
        yield
        return
    mixed = secret & 0x7FFFFFFF
    manual_seed, seed, numpy_seed = torch.manual_seed, random.seed, numpy.random.seed

    def of(value: Any) -> int:
        return (int(value) * 2654435761 + mixed) & 0x7FFFFFFF

    torch.manual_seed = lambda value: manual_seed(of(value))
    torch.random.manual_seed = torch.manual_seed
    random.seed = lambda a=None, version=2: seed(of(a) if isinstance(a, int) else mixed)
    numpy.random.seed = lambda value=None: numpy_seed(of(value) if value is not None else mixed)
    generator = torch.Generator

    class Generator(generator):  # type: ignore[misc, valid-type]
        def manual_seed(self, value: Any) -> Any:
            return super().manual_seed(of(value))

    torch.Generator = Generator
    random_state, default_rng = numpy.random.RandomState, numpy.random.default_rng
    numpy.random.RandomState = lambda value=None: random_state(of(value or 0))
    numpy.random.default_rng = lambda value=None: default_rng(
        of(value) if isinstance(value, int) else mixed
    )
    try:
        yield
    finally:
        torch.manual_seed, random.seed, numpy.random.seed = manual_seed, seed, numpy_seed
        torch.Generator = generator
        numpy.random.RandomState, numpy.random.default_rng = random_state, default_rng


def _run_pytest(module: types.ModuleType, job: Message) -> None:
    tests: list[tuple[str, Callable[..., Any]]] = [
        (name, value)
        for name, value in vars(module).items()
        if name.startswith("test") and isinstance(value, types.FunctionType)
    ]
    first: BaseException | None = None
    for name, function in tests:
        if _NO_TESTS.search(name) or getattr(function, "_assay_skipped", None):
            continue
        for node, arguments in pytest_stand_in.cases(name, function):
            wanted = function.__code__.co_varnames[: function.__code__.co_argcount]
            if "request" in wanted:
                told = types.SimpleNamespace(name=node, user_properties=[])
                arguments["request"] = types.SimpleNamespace(node=told)
            if "device" in wanted and "device" not in arguments:
                arguments["device"] = "cuda"
            try:
                function(**arguments)
            except pytest_stand_in.Skipped:
                continue
            except Exception as error:
                first = first or error
    # A test says by this that the kernel ran, and asserts behind it: what it left is compared.
    if first and not any(_CALLED in _mapping(module, name) for name in job["results"]):
        raise first


def _mapping(module: types.ModuleType, name: str) -> Any:
    value = vars(module).get(name)
    return value if isinstance(value, dict) else {}


def _result_of(module: types.ModuleType, names: list[str]) -> tuple[str, Any]:
    for name in names:
        if name in vars(module):
            return name, vars(module)[name]
    return "", None


def _told() -> Message:
    seen = WATCH.seen
    if seen is None:
        return {"launches": 0, "kernels": [], "narrow": [], "outside": []}
    return {
        "launches": sum(seen.launches.values()),
        "kernels": [name[:150] for name in list(seen.launches)[:64]],
        "narrow": sorted(seen.narrow),
        "outside": sorted(seen.outside),
    }


# What it says of an operation that it lacks, and in functions that it has not prepared.
_NOT_INTERPRETED = re.compile(
    r"'InterpreterBuilder' object has no attribute|Did you forget to add @triton\.jit"
)
_OURS = os.path.dirname(__file__) + os.sep


def _why_not_here(raised: BaseException | None) -> str | None:
    """Why the interpreter has no answer where a GPU might; None: it has one.

    It goes by who raised it: the candidate's code can say the same words.
    """
    triton = os.path.dirname(importlib.import_module("triton").__file__ or "") + os.sep
    interpreter = os.path.join(triton, "runtime", "interpreter.py")
    for error in chain(raised):
        text = text_of(error)
        files = [name for name, _ in frames(error.__traceback__)]
        is_ours = bool(files) and files[-1].startswith((triton, _OURS))
        if is_ours and interpreter in files and _is_not_interpreted(error, text):
            return f"Triton's interpreter: {text.splitlines()[0] if text else 'not implemented'}"
        if is_ours and isinstance(error, gpu.LibraryForGpu) or gpu.is_of_devices(error):
            return f"it asks for a device: {text}"
    return None


def _is_not_interpreted(error: BaseException, text: str) -> bool:
    # Its own error, around a kernel's, repeats what that says of itself.
    is_plain = type(error) in (AttributeError, ValueError)
    return isinstance(error, NotImplementedError) or (
        is_plain and _NOT_INTERPRETED.match(text) is not None
    )


IMAGE = Image("suite", warm_up, work)
