#!/usr/bin/env python3
"""How a suite is compiled without assay: one process, one problem and one target after the other.

    sequential.py IREE_COMPILE OUT FLAGS_JSON PROBLEM...

FLAGS_JSON is {"target": ["--flag", ...], ...}. For each problem and target: the file is imported,
the model and its inputs are made with real tensors, exported, and compiled by the command-line tool
at O3 with its phases dumped. Prints one line per attempt that failed, and at the end how many
compiled. The opponent in bench/grid.py.
"""

import importlib.util
import json
import subprocess
import sys
import warnings
from pathlib import Path

import torch
from iree.turbine import aot


def compile_one(tool: str, problem: Path, flags: list[str], out: Path) -> None:
    spec = importlib.util.spec_from_file_location(problem.stem, problem)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[problem.stem] = module
    spec.loader.exec_module(module)
    model = module.Model(*module.get_init_inputs()).eval()
    inputs = module.get_inputs()
    with torch.no_grad():
        aot.externalize_module_parameters(model)
        program = aot.export(model, args=tuple(inputs))
    out.mkdir(parents=True, exist_ok=True)
    program.save_mlir(out / "kernel.mlir")
    command = [tool, str(out / "kernel.mlir"), "-o", str(out / "artifact.vmfb"), *flags]
    command += ["--iree-opt-level=O3", f"--dump-compilation-phases-to={out}/compilation_phases"]
    subprocess.run(command, check=True, capture_output=True)


def main() -> int:
    tool, out, flags_json, *problems = sys.argv[1:]
    warnings.simplefilter("ignore")
    compiled = 0
    attempts = 0
    for problem in map(Path, problems):
        for target, flags in json.loads(flags_json).items():
            attempts += 1
            try:
                compile_one(tool, problem, flags, Path(out) / target / problem.stem)
                compiled += 1
            except (Exception, subprocess.CalledProcessError) as failure:
                print(f"{problem.stem} on {target}: {type(failure).__name__}: {failure}")
    print(f"{compiled} of {attempts} compiled")
    return 0


if __name__ == "__main__":
    sys.exit(main())
