"""A program for the IREE compiler with nothing beside it, as a problem.

Nobody says what is right. So what it is compared with is what a plain compile of it computes here,
without optimization (saved_results.py): that is agreement, and no proof.
"""

import re
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

import torch
from torch import Tensor

from assay_worker.graph_file import BadGraphFile, GraphInput, GraphProblem
from assay_worker.saved_results import Typed, model_of
from assay_worker.signature import DTYPE_WORDS

_FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=generic",
    "--iree-opt-level=O0",
)

# As MLIR names them.
_TYPES = {word: dtype for dtype, word in DTYPE_WORDS.items()} | {"i1": torch.bool}


def read(content: bytes, _given: dict[str, int]) -> GraphProblem:
    """Raises BadGraphFile where the compiler refuses it, or its types are not taken."""
    program = compiled(content)
    takes, gives = program.types
    if any(None in each.shape for each in [*takes, *gives]):
        raise BadGraphFile("sizes of what `main` takes or gives are open")
    return GraphProblem(
        model_of(
            gives,
            lambda values: program.call(
                [value.to(each.dtype) for value, each in zip(values, takes, strict=True)]
            ),
        ),
        [
            GraphInput(f"input_{n}", each.dtype, [size or 0 for size in each.shape])
            for n, each in enumerate(takes)
        ],
    )


@cache
def compiled(text: bytes) -> "Program":
    """Raises BadGraphFile."""
    return Program(text)


class Program:
    """What it was compiled to, loaded; `types` are what `main` takes, and what it gives."""

    def __init__(self, text: bytes) -> None:
        from iree import runtime
        from iree.compiler import api

        session = api.Session()
        session.set_flags(*_FLAGS)
        output = api.Output.open_membuffer()
        invocation = session.invocation()
        # What it has to complain of, the compile that is judged says in full.
        if not invocation.parse_source(api.Source.wrap_buffer(session, text + b"\0")):
            raise BadGraphFile("the compiler does not read it without optimization")
        try:
            compiles = invocation.execute()
            invocation.output_vm_bytecode(output)
        except ValueError:  # there is no module that could be written
            compiles = False
        if not compiles:
            raise BadGraphFile("it does not compile for this machine without optimization")
        self._instance = runtime.VmInstance()
        self._device = runtime.get_device("local-sync")
        self._module = runtime.VmModule.copy_buffer(self._instance, bytes(output.map_memory()))
        self._function = self._module.lookup_function("main")
        if self._function is None:
            raise BadGraphFile("it has no function `main`")
        declaration = self._function.reflection.get("iree.abi.declaration", "")
        self.types = _types(declaration) if declaration else _types_in_torch(text)

    @cached_property
    def _context(self) -> Any:
        """Made when it is first called: types are all that is asked of programs with parameters."""
        from iree import runtime

        hal = runtime.create_hal_module(self._instance, self._device)
        try:
            return runtime.VmContext(self._instance, [hal, self._module])
        except Exception as error:  # it has parameters, which nobody has given
            raise BadGraphFile(f"it cannot be loaded: {str(error).partition(chr(10))[0]}") from None

    def call(self, values: Sequence[Tensor]) -> list[Tensor]:
        from iree import runtime

        arguments = runtime.VmVariantList(len(values))
        for value in values:
            arguments.push_ref(self._view(value.contiguous()))
        _, results = self.types
        given = runtime.VmVariantList(len(results))
        self._context.invoke(self._function, arguments, given)
        return [
            _tensor(given.get_as_object(n, runtime.HalBufferView), each)
            for n, each in enumerate(results)
        ]

    def _view(self, value: Tensor) -> Any:
        import numpy
        from iree import runtime

        from assay_worker.iree_runner import ELEMENTS

        flat = value.reshape(-1)
        content = (flat if flat.numel() else flat.new_zeros(1)).view(torch.uint8).numpy()
        buffer = self._device.allocator.allocate_buffer_copy(
            memory_type=runtime.MemoryType.DEVICE_LOCAL,
            allowed_usage=runtime.BufferUsage.DEFAULT | runtime.BufferUsage.MAPPING,
            device=self._device,
            buffer=numpy.ascontiguousarray(content),
        )
        element = ELEMENTS[DTYPE_WORDS[value.dtype]][0]
        return runtime.HalBufferView(buffer, list(value.shape), int(element))


def _tensor(view: Any, wanted: Typed) -> Tensor:
    shape = list(view.shape)
    if not view.byte_length:
        return torch.empty(shape, dtype=wanted.dtype)
    content = torch.frombuffer(bytearray(view.map()), dtype=torch.uint8)
    return content[: view.byte_length].view(wanted.dtype).reshape(shape)


def _types(declaration: str) -> tuple[list[Typed], list[Typed]]:
    """Of what it takes and what it gives, of
    `sync func @main(%input0: tensor<8x4xf32>) -> (%output0: tensor<8xf32>)`."""
    taken, arrow, given = declaration.partition(" -> ")
    if not arrow:
        raise BadGraphFile("it does not say what `main` takes and gives")
    takes, gives = (
        [_type(each) for each in re.findall(r"%\w+: ([^%]*?)(?:, (?=%)|\)|$)", part)]
        for part in (taken, given)
    )
    return takes, gives


def _types_in_torch(program: bytes) -> tuple[list[Typed], list[Typed]]:
    """The same of a program in torch's dialect, whose artifact does not say it."""
    from iree.compiler.ir import Context, Module

    with Context() as context:
        context.allow_unregistered_dialects = True
        module = Module.parse(program)
        for operation in module.body:
            if str(operation.attributes["sym_name"]) == '"main"':
                type_ = operation.attributes["function_type"].value
                return (
                    [_type_in_torch(str(each)) for each in type_.inputs],
                    [_type_in_torch(str(each)) for each in type_.results],
                )
    raise BadGraphFile("it does not say what `main` takes and gives")


def _type_in_torch(text: str) -> Typed:
    """`!torch.vtensor<[8,?],si64>`"""
    matched = re.fullmatch(r"!torch\.vtensor<\[([\d,?]*)\],(\w+)>", text)
    if not matched:
        return _type(text)
    sizes = "".join(f"{size}x" for size in matched[1].split(",") if size)
    return _type(f"tensor<{sizes}{re.sub('^si', 'i', re.sub('^ui', 'u', matched[2]))}>")


def _type(text: str) -> Typed:
    matched = re.fullmatch(r"tensor<((?:(?:\d+|\?)x)*)(\w+)>.*", text.strip())
    if not matched or matched[2] not in _TYPES:
        raise BadGraphFile(f"`main` has {text.strip()}, which is no tensor of torch's types")
    return Typed(
        _TYPES[matched[2]],
        [None if size == "?" else int(size) for size in matched[1].split("x")[:-1]],
    )
