"""Workloads in KernelBench's format: a file with `Model`, `get_inputs` and `get_init_inputs`.

A file with `get_model` and `get_dummy_input` is taken for one (model_file.py), and so is one with a
graph (graph_file.py).

The file arrives as bytes: what runs is what assay hashed, whatever happens to the path meanwhile.
"""

import linecache
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.abc import Loader
from importlib.util import module_from_spec, spec_from_loader
from itertools import count
from pathlib import PurePath
from types import ModuleType
from typing import Any

import torch

from assay_worker import domains, dynamic_sizes, graph_file
from assay_worker.failure import Explained
from assay_worker.model_file import ADAPTED, adapt, is_model_file

_serial = count(1)


class Malformed(Explained):
    """The file runs but is not a workload."""


@dataclass(frozen=True)
class Problem:
    """A loaded file. Nothing of the model exists yet; the calls below run the user's code."""

    path: str
    model_class: type[torch.nn.Module]
    get_inputs: Callable[[], Any]
    get_init_inputs: Callable[[], Any] | None
    module_name: str = ""  # the file's, in sys.modules
    get_input_domains: Callable[[], Any] | None = None  # see domains.py
    get_dynamic_sizes: Callable[[], Any] | None = None  # see dynamic_sizes.py

    def build(self, reseed: Callable[[], Any] = lambda: None) -> torch.nn.Module:
        """`Model(*get_init_inputs())`. Raises Malformed, or whatever the user's code raises.

        `reseed` is called before either call, as KernelBench seeds.
        """
        reseed()
        arguments: list[Any] = []
        if self.get_init_inputs is not None:
            arguments = _sequence("get_init_inputs()", self.get_init_inputs())
        reseed()
        return self.model_class(*arguments)

    def inputs(self, reseed: Callable[[], Any] = lambda: None) -> list[Any]:
        """The positional arguments of `forward`. Raises, and calls `reseed`, as `build` does."""
        reseed()
        return _sequence("get_inputs()", self.get_inputs())


def load(source: bytes, path: str) -> Problem:
    """Runs the file's top level. `path` is for messages and tracebacks; it is never opened.

    Raises Malformed, or whatever parsing and running the file raises, SystemExit included.
    """
    module = _run(source, path)
    return Problem(
        path=path,
        model_class=_model_class(module),
        get_inputs=_function(module, "get_inputs", "a list of the arguments of Model.forward"),
        get_init_inputs=_optional(
            module, "get_init_inputs", "a list of the arguments of Model(...)"
        ),
        module_name=module.__name__,
        get_input_domains=_optional(
            module, domains.NAME, "a list of what values the inputs may have"
        ),
        get_dynamic_sizes=_optional(
            module, dynamic_sizes.NAME, "a list of the inputs' dynamic dimensions"
        ),
    )


def load_model(
    source: bytes, path: str, name: str, file: str | None = None
) -> type[torch.nn.Module]:
    """Runs the file's top level for one class, `name`: a candidate has no inputs of its own.

    `file` is what it has for `__file__`, where that is not `path`. Raises as `load` does.
    """
    return _model_class(_run(source, path, file), name)


def unload(problem: Problem) -> None:
    """Forgets the file's module, which `load` ran: no code of it is to run any more."""
    sys.modules.pop(problem.module_name, None)


class _BytesLoader(Loader):
    """Gives a module made from bytes what `inspect` and `torch.export` expect of a real one."""

    def __init__(self, source: bytes, path: str, file: str) -> None:
        self._source, self._path, self._file = source, path, file

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = self._file
        # `dont_inherit`: this file's own __future__ imports are no business of the user's.
        code = compile(self._source, self._path, "exec", dont_inherit=True)
        exec(code, module.__dict__)


def _run(source: bytes, path: str, file: str | None = None) -> ModuleType:
    if is_graph := graph_file.is_graph(source):
        graph, source = source, b""
    text = source.decode("utf-8", "replace")
    # No modification time: linecache then never compares the entry with a file on disk.
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    # torch.export looks a model's module up by name, and two files of one name must not meet.
    stem = re.sub(r"\W", "_", PurePath(path).stem)
    name = f"assay_workload_{next(_serial)}_{stem}"
    spec = spec_from_loader(name, _BytesLoader(source, path, file or path), origin=path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        if is_graph:
            graph_file.fill(module, graph)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    if is_model_file(module):
        adapt(module)
    return module


def _model_class(module: ModuleType, name: str = "Model") -> type[torch.nn.Module]:
    model = getattr(module, name, None)
    if name == "Model":
        model = getattr(module, ADAPTED, model)
    if model is None:
        raise Malformed(f"the file defines no `{name}`: name the torch.nn.Module to run `{name}`")
    if not (isinstance(model, type) and issubclass(model, torch.nn.Module)):
        raise Malformed(
            f"`{name}` is not a class derived from torch.nn.Module: derive it from that"
        )
    return model


def _function(module: ModuleType, name: str, returns: str) -> Callable[[], Any]:
    function = getattr(module, name, None)
    if function is None:
        raise Malformed(f"the file defines no `{name}`: add a function that returns {returns}")
    if not callable(function):
        raise Malformed(f"`{name}` can't be called: make it a function that returns {returns}")
    return function  # type: ignore[no-any-return]


def _optional(module: ModuleType, name: str, returns: str) -> Callable[[], Any] | None:
    return _function(module, name, returns) if hasattr(module, name) else None


def _sequence(name: str, value: Sequence[Any] | Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        # Under fake tensors a tensor is a FakeTensor, which is no word of the user's.
        kind = "Tensor" if isinstance(value, torch.Tensor) else type(value).__name__
        raise Malformed(f"`{name}` gave {kind}, not a list: return a list, [x] for a single one")
    return list(value)
