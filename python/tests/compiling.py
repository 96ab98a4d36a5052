"""Compiles what a worker exported, runs it, and compares it with what torch computes eagerly."""

import subprocess
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import iree.runtime
import numpy
import torch
from iree.compiler import _mlir_libs
from serving import SEED
from torch.utils import _pytree as pytree

from assay_worker import kernelbench
from assay_worker.seeding import seed_all

FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
    "--iree-input-demote-f64-to-f32=false",
)
COMPILER = Path(next(iter(_mlir_libs.__path__))) / "iree-compile"


class DoesNotCompile(Exception):
    """The message is the compiler's first error."""


# What any device of Vulkan runs.
VULKAN_FLAGS = (
    "--iree-hal-target-device=vulkan",
    "--iree-vulkan-target=vp_android_baseline_2022",
)


def compiled(mlir: bytes, flags: tuple[str, ...] = FLAGS) -> bytes:
    """The module, by default for this CPU, as bytes. Raises DoesNotCompile."""
    with tempfile.TemporaryDirectory(prefix="assay-test-") as folder:
        source, module = Path(folder, "kernel.mlir"), Path(folder, "kernel.vmfb")
        source.write_bytes(mlir)
        command = [str(COMPILER), str(source), *flags, "-o", str(module)]
        ran = subprocess.run(command, capture_output=True, timeout=120, check=False)
        if ran.returncode != 0 or not module.exists():
            errors = [line for line in ran.stderr.splitlines() if b"error:" in line]
            first = errors[0].decode() if errors else f"status {ran.returncode}"
            raise DoesNotCompile(first[:300])
        return module.read_bytes()


class Compiled:
    """A compiled program with its parameters, or an archive of them, ready to be called."""

    def __init__(self, mlir: bytes, parameters: dict[str, torch.Tensor] | Path) -> None:
        module = compiled(mlir)
        instance = iree.runtime.VmInstance()
        self._device = iree.runtime.get_device("local-sync")
        index = iree.runtime.ParameterIndex()
        if isinstance(parameters, Path):
            index.load(str(parameters))
            parameters = {}
        for name, tensor in parameters.items():
            index.add_buffer(name, _bytes(tensor))
        modules = [
            iree.runtime.create_hal_module(instance, self._device),
            iree.runtime.create_io_parameters_module(instance, index.create_provider("model")),
            iree.runtime.VmModule.copy_buffer(instance, module),
        ]
        context = iree.runtime.VmContext(instance, modules)
        self._invoker = iree.runtime.FunctionInvoker(
            context, self._device, modules[-1].lookup_function("main")
        )

    def __call__(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        given = [iree.runtime.asdevicearray(self._device, _array(t)) for t in tensors]
        results = self._invoker(*given)
        if results is None:
            return []
        results = results if isinstance(results, list | tuple) else [results]
        return [torch.from_numpy(numpy.array(result.to_host())) for result in results]


@dataclass(frozen=True)
class Eager:
    """A problem built as KernelBench builds it: with data, seeded by SEED."""

    model: torch.nn.Module
    inputs: list[Any]

    @classmethod
    def of(cls, source: str, train: bool = False) -> "Eager":
        with torch.no_grad():
            seed_all(SEED)
            problem = kernelbench.load(source.encode(), "/somewhere/eager.py")
            model = problem.build(partial(seed_all, SEED)).train(train)
            return cls(model, problem.inputs(partial(seed_all, SEED)))

    def parameters(self) -> dict[str, torch.Tensor]:
        """All that a program may name: parameters, buffers, tensors as plain attributes."""
        named = dict(self.model.named_parameters(remove_duplicate=False))
        named |= dict(self.model.named_buffers(remove_duplicate=False))
        for path, module in self.model.named_modules():
            for name, value in vars(module).items():
                if isinstance(value, torch.Tensor):
                    named[f"{path}.{name}".lstrip(".")] = value
        return {name: tensor.detach() for name, tensor in named.items()}

    def tensors(self) -> list[torch.Tensor]:
        leaves = pytree.tree_leaves(self.inputs)
        return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]

    def outputs(self) -> list[torch.Tensor]:
        with torch.no_grad():
            results = pytree.tree_leaves(self.model(*self.inputs))
        return [result for result in results if isinstance(result, torch.Tensor)]


def difference(got: list[torch.Tensor], wanted: list[torch.Tensor]) -> str:
    """Says how two lists of tensors differ; empty when they are alike to single precision.

    The scale is that of each wanted tensor: an element near 0 may be off by as much as the others.
    """
    if len(got) != len(wanted):
        return f"{len(got)} tensors, not {len(wanted)}"
    for n, (a, b) in enumerate(zip(got, wanted, strict=True)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"{n}: {a.dtype}{list(a.shape)}, not {b.dtype}{list(b.shape)}"
        x, y = a.detach().to(torch.float64), b.detach().to(torch.float64)
        if not torch.equal(x.isfinite(), y.isfinite()) or not torch.equal(x.isnan(), y.isnan()):
            return f"{n}: other elements are infinite or no numbers: {x}, not {y}"
        finite = y.isfinite()
        if not torch.equal(x[~finite].nan_to_num(), y[~finite].nan_to_num()):
            return f"{n}: other infinities"
        if not finite.any():
            continue
        scale = y[finite].abs().max().item() or 1.0
        worst = (x - y)[finite].abs().max().item() / scale
        tolerance = 2e-5 if b.dtype in (torch.float32, torch.float64) else 2e-2
        if worst > (tolerance if b.is_floating_point() else 0):
            return f"{n}: off by {worst:.2g} of its scale"
    return ""


def _array(tensor: torch.Tensor) -> Any:
    return tensor.detach().contiguous().numpy()


def _bytes(tensor: torch.Tensor) -> Any:
    return _array(tensor).reshape(-1).view(numpy.uint8).copy()
