"""The role `describe`: which interpreter, packages and compiler this Python brings.

Nothing heavy is imported: importing torch takes seconds, and importing iree.compiler loads the
whole compiler into this process.
"""

import hashlib
import os
import platform
import sys
import sysconfig
from importlib import metadata, util
from pathlib import Path

from assay_worker.protocol import VERSION, Channel, Message

PACKAGES = (
    "torch",
    "iree-turbine",
    "iree-base-compiler",
    "iree-base-runtime",
    "numpy",
    "triton",
    "jax",
    "torchax",
    "torch-mlir",
    "onnxruntime",
    "onnxscript",
)


def run() -> None:
    """Sends the hello and the one answer over descriptor 3."""
    channel = Channel.inherited()
    channel.answer({"protocol": VERSION, "image": "describe"})
    channel.answer({"final": True, "ok": describe()})


def describe() -> Message:
    """What this interpreter is and has; `None` for what is missing. Paths are absolute."""
    return {
        "python": platform.python_version(),
        "executable": sys.executable,
        "platform": sys.platform,
        "machine": platform.machine(),
        "packages": {name: _version(name) for name in PACKAGES},
        "environment": _environment(),
        "reads": _reads(),
        "headers": _headers(),
        "compiler_library": _file_of("iree.compiler", "_mlir_libs/libIREECompiler.so"),
        "iree_compile": _file_of("iree.compiler", "_mlir_libs/iree-compile"),
        "ptxas": _file_of("triton", "backends/nvidia/bin/ptxas"),
    }


def _environment() -> str:
    """A hash of the interpreter's version and of what is installed: what an import depends on."""
    installed = [platform.python_version()]
    for folder in sys.path:
        path = Path(folder)
        if path.is_dir():
            names = (entry.name for entry in path.iterdir())
            installed += [name for name in names if name.endswith((".dist-info", ".egg-info"))]
    return hashlib.sha256("\n".join(sorted(installed)).encode()).hexdigest()


def _reads() -> list[str]:
    """What an interpreter like this one reads while it runs: a jail has to show it.

    Itself, what it imports from, the shared libraries of its installation, and its headers. Never
    the folder that it is installed in: that may be somebody's home.
    """
    paths = [sys.executable, os.path.realpath(sys.executable)]
    for prefix in (sys.prefix, sys.base_prefix):
        paths += [f"{prefix}/{part}" for part in ("pyvenv.cfg", "lib", "lib64", "include")]
    paths += [folder for folder in sys.path if os.path.isabs(folder)]
    return [path for path in dict.fromkeys(paths) if os.path.exists(path)]


def _headers() -> list[str]:
    """The folders that torch names to the compiler of an extension: its own, and Python's."""
    torch = util.find_spec("torch")  # which imports nothing
    paths = [sysconfig.get_path("include")]
    for folder in (torch and torch.submodule_search_locations) or ():
        paths += [f"{folder}/include", f"{folder}/include/torch/csrc/api/include"]
    return [path for path in paths if os.path.isdir(path)]


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _file_of(package: str, place: str) -> str | None:
    """The path of a file in an installed package, which is not imported."""
    try:
        spec = util.find_spec(package)
    except ModuleNotFoundError:  # there is not even what it lies in
        return None
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder).absolute() / place
        if path.is_file():
            return str(path)
    return None
