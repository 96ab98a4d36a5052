"""Compiles a native kernel, as assay does, without torch."""

import os
import subprocess
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include"
FLAGS = ["-O3", "-march=native", "-fPIC", "-shared", "-fopenmp", "-Wall", "-Wextra", "-Werror"]


def compile_command(source: Path, library: Path) -> list[str]:
    """The compiler's command line for one file; C and C++ differ in the driver alone."""
    driver = "gcc" if source.suffix == ".c" else "g++"
    include = os.environ.get("ASSAY_INCLUDE", str(INCLUDE))
    return [driver, *FLAGS, f"-I{include}", "-o", str(library), str(source)]


def compile_kernel(source: Path, library: Path) -> None:
    """Raises RuntimeError with the compiler's words."""
    done = subprocess.run(compile_command(source, library), capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{source}: {done.stderr.strip()}")
