#!/usr/bin/env python3
"""How people compare compilers on networks without assay: a script and a process for each step.

    network_step.py STEP NETWORK SIZE FOLDER

    eager     the network is made, called five times, and a sixth time by the clock
    export    to MLIR, with its parameters in an archive and its inputs in .npy files
    compile   by iree-compile's own Python module, for this CPU
    run       the artifact is called once, and its results are looked at by no one
    measure   five calls, then ten by the clock
    xla       the network is made again, given to torchax, and called once
    xla-time  the same; torch and XLA are called five times each, then ten by the clock

What a step needs of another lies in FOLDER. Each prints a line. The opponent in bench/models.py.
"""

import importlib.util
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tomllib  # type: ignore[import-not-found]  # checked as for 3.10, run by 3.11

ZOO = Path(__file__).resolve().parent.parent / "models"
WARM_UP, CALLS = 5, 10


def load(network: str, size: str) -> tuple[Any, list[Any]]:
    import torch

    path = ZOO / f"{network}.py"
    spec = importlib.util.spec_from_file_location(network.replace("-", "_"), path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # torch.export looks for it there
    spec.loader.exec_module(module)
    sizes = tomllib.loads(path.with_suffix(".toml").read_text())[size]
    for name, value in sizes.items():
        if hasattr(module, name.upper()):
            setattr(module, name.upper(), value)
    torch.manual_seed(0)
    return module.Model().eval(), module.get_inputs()


def milliseconds(call: Callable[[], Any], warm_up: int, calls: int) -> float:
    for _ in range(warm_up):
        call()
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - begin) / calls * 1e3


def eager(network: str, size: str, folder: Path) -> str:
    import torch

    model, inputs = load(network, size)
    with torch.no_grad():
        return f"{milliseconds(lambda: model(*inputs), WARM_UP, 1):.3f} ms"


def export(network: str, size: str, folder: Path) -> str:
    import numpy
    import torch
    from iree.turbine import aot

    model, inputs = load(network, size)
    with torch.no_grad():
        aot.externalize_module_parameters(model)
        aot.save_module_parameters(str(folder / "parameters.irpa"), model)
        aot.export(model, args=tuple(inputs)).save_mlir(folder / "model.mlir")
    for n, value in enumerate(inputs):
        numpy.save(folder / f"input_{n}.npy", value.numpy())
    return "exported"


def compile_it(network: str, size: str, folder: Path) -> str:
    from iree.compiler.tools import compile_file

    compile_file(
        str(folder / "model.mlir"),
        output_file=str(folder / "model.vmfb"),
        input_type="torch",
        target_backends=["llvm-cpu"],
        extra_args=["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"],
    )
    return "compiled"


def loaded(folder: Path) -> tuple[Any, list[Any]]:
    import numpy
    from iree import runtime

    config = runtime.Config("local-task")
    index = runtime.ParameterIndex()
    index.load(str(folder / "parameters.irpa"))
    parameters = runtime.create_io_parameters_module(
        config.vm_instance, index.create_provider(scope="model")
    )
    hal = runtime.create_hal_module(config.vm_instance, config.device)
    artifact = runtime.VmModule.mmap(config.vm_instance, str(folder / "model.vmfb"))
    bound = runtime.load_vm_modules(parameters, hal, artifact, config=config)
    inputs = [numpy.load(path) for path in sorted(folder.glob("input_*.npy"))]
    return bound[-1].main, inputs


def run(network: str, size: str, folder: Path) -> str:
    function, inputs = loaded(folder)
    function(*inputs)
    return "ran"


def measure(network: str, size: str, folder: Path) -> str:
    function, inputs = loaded(folder)
    return f"{milliseconds(lambda: function(*inputs), WARM_UP, CALLS):.3f} ms"


def by_xla(model: Any, inputs: list[Any]) -> Callable[[], Any]:
    import torch

    from assay_worker.stablehlo import import_torchax  # torchax alone does not import here

    import_torchax()
    import jax
    import torchax.export

    with torch.no_grad():
        program = torch.export.export(model, tuple(inputs), strict=False)
    weights, function = torchax.export.exported_program_to_jax(program)
    jitted = jax.jit(function)
    values = tuple(torchax.ops.mappings.t2j(value) for value in inputs)
    return lambda: jax.block_until_ready(jitted(weights, values))


def xla(network: str, size: str, folder: Path) -> str:
    by_xla(*load(network, size))()
    return "ran"


def xla_time(network: str, size: str, folder: Path) -> str:
    import torch

    model, inputs = load(network, size)
    with torch.no_grad():
        by_torch = milliseconds(lambda: model(*inputs), WARM_UP, CALLS)
    return f"{by_torch:.3f} ms, {milliseconds(by_xla(model, inputs), WARM_UP, CALLS):.3f} ms"


STEPS = {
    "eager": eager,
    "export": export,
    "compile": compile_it,
    "run": run,
    "measure": measure,
    "xla": xla,
    "xla-time": xla_time,
}


def main() -> int:
    step, network, size, folder = sys.argv[1:]
    warnings.simplefilter("ignore")
    print(f"{network} {step}: {STEPS[step](network, size, Path(folder))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
