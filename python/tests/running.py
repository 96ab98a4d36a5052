"""Compiles exported programs with the real compiler and runs them, to compare their numbers."""

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy
import torch
from iree import runtime
from torch.utils import _pytree as pytree

COMPILE = (sys.executable, "-m", "iree.compiler.tools.scripts.iree_compile")
FLAGS = (
    "-",
    "--iree-input-type=auto",
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
    "--iree-opt-level=O2",
    "-o",
)


def compiled(mlir: bytes) -> bytes:
    """The artifact for this machine. In a process of its own, as the compiler may end it."""
    with tempfile.TemporaryDirectory(prefix="assay-test-") as folder:
        artifact = Path(folder, "program.vmfb")
        done = subprocess.run([*COMPILE, *FLAGS, artifact], input=mlir, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()[-4000:]
        return artifact.read_bytes()


def run(
    artifact: bytes, parameters: Mapping[str, torch.Tensor] | Path, inputs: Sequence[Any]
) -> list[torch.Tensor]:
    """Calls `main` on the flattened tensors of `inputs`; returns its results.

    `parameters` are tensors by their keys in the scope `model`, or an archive of them.
    """
    index = runtime.ParameterIndex()
    if isinstance(parameters, Path):
        index.load(str(parameters))
    else:
        for key, tensor in parameters.items():
            runtime.parameter_index_add_numpy_ndarray(index, key, tensor.detach().numpy())
    config = runtime.Config("local-sync")
    instance = config.vm_instance
    modules = runtime.load_vm_modules(
        runtime.create_io_parameters_module(instance, index.create_provider("model")),
        runtime.VmModule.copy_buffer(instance, artifact),
        config=config,
    )
    arguments = [x.numpy() for x in pytree.tree_leaves(list(inputs)) if isinstance(x, torch.Tensor)]
    results = modules[-1]["main"](*arguments)
    results = results if isinstance(results, tuple | list) else (results,)
    return [torch.from_numpy(numpy.array(result.to_host())) for result in results]
