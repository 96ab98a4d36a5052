"""C++ extensions of candidates: torch.utils.cpp_extension, but for the building.

Torch writes the sources and puts the flags together as ever. Where it would build, the judge is
asked to, in a jail of its own; the candidate's process ends, and begins again with the library.
"""

import ctypes
import hashlib
import importlib.machinery
import importlib.util
import inspect
import json
import os
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch.utils import cpp_extension

from assay_worker.gpu import StandIn
from assay_worker.protocol import Message

MAX_FILES = 64
MAX_BYTES = 512 << 10  # of all files of one extension: it has to fit into one answer
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inc", ".inl", ".ipp")


class Needed(BaseException):
    """An extension that was not given, and that the judge is asked for."""


class Extensions:
    """What takes the place of torch's building in this process, which has one of them."""

    def __init__(
        self,
        digests: list[str],
        descriptors: list[int],
        gpu: str | None = None,
        stand_ins: Sequence[str] = (),
    ) -> None:
        """`gpu`: the kind that those for a device are built for; `stand_ins`: which of them were,

        and are no more than that: they cannot be loaded here.
        """
        self._given = dict(zip(digests, descriptors, strict=True))
        self._gpu, self._stand_ins = gpu, frozenset(stand_ins)
        self.needed: Message | None = None

    def install(self) -> None:
        """From here on candidates' extensions are these."""
        os.environ["TORCH_EXTENSIONS_DIR"] = tempfile.gettempdir()
        parameters = inspect.signature(cpp_extension._jit_compile)

        def jit_compile(*arguments: Any, **named: Any) -> Any:
            call = parameters.bind(*arguments, **named)
            call.apply_defaults()
            return self._built(call.arguments)

        cpp_extension._jit_compile = jit_compile
        # Where the judge builds, headers are precompiled whether asked for or not.
        cpp_extension._check_and_build_extension_h_precompiler_headers = lambda *_: None

    def _built(self, call: dict[str, Any]) -> Any:
        if call["is_standalone"]:
            raise RuntimeError("an extension that is a program of its own cannot be loaded here")
        request = _request(call, self._gpu)
        digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
        if digest in self._stand_ins:
            return StandIn(call["name"])
        if digest not in self._given:
            self.needed = {**request, "digest": digest}
            raise Needed(
                f"the extension {call['name']!r} is loaded in a call: it has to be there before, "
                "when the file is loaded or the model is constructed"
            )
        path = f"/proc/self/fd/{self._given[digest]}"
        if not call["is_python_module"]:
            # As torch.ops.load_library() does, which would look for the file that the link names.
            with torch._ops.dl_open_guard():
                ctypes.CDLL(path)
            torch.ops.loaded_libraries.add(path)
            return path
        loader = importlib.machinery.ExtensionFileLoader(call["name"], path)
        spec = importlib.util.spec_from_loader(call["name"], loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
        return module


def _request(call: dict[str, Any], gpu: str | None) -> Message:
    """{"name", "device"} of one for an accelerator that is not `gpu`; else {"name", "files":

    [{"name", "text"}], "sources": names, "compile": flags, "link": flags}, with "device" and
    "device_compile" of one for `gpu`. Files lie in one folder, which is where it is built.
    """
    name, sources = call["name"], [Path(source) for source in call["sources"]]
    for_device: Message = {}
    for device in ("cuda", "sycl"):
        wanted = call[f"with_{device}"]
        if wanted or (wanted is None and any(map(_IS_FOR[device], map(str, sources)))):
            for_device = {"device": device}
            if device != gpu:
                return {"name": name, **for_device}
            for_device["device_compile"] = [
                part for flag in call["extra_cuda_cflags"] or [] for part in shlex.split(flag)
            ]
    folders = [Path(path) for path in call["extra_include_paths"] or ()]
    beside = {folder for folder in (*(source.parent for source in sources), *folders)}
    headers = (
        each for folder in sorted(beside) for each in sorted(folder.iterdir()) if _is_header(each)
    )
    files: dict[str, str] = {}
    total = 0
    if missing := [path for path in sources if not path.is_file()]:
        raise RuntimeError(
            f"the source {str(missing[0])!r} of the extension {name!r} is not there: of what lies "
            "beside a candidate's file nothing is handed in with it. load_inline() takes sources "
            "as text"
        )
    for path in (*sources, *headers):
        if path.name in files and path in sources:
            raise RuntimeError(f"two sources of the extension {name!r} are called {path.name}")
        text = path.read_text(encoding="utf-8")
        total += len(text)
        if len(files) == MAX_FILES or total > MAX_BYTES:
            raise RuntimeError(
                f"the extension {name!r} has more than {MAX_FILES} files or {MAX_BYTES} bytes"
            )
        files.setdefault(path.name, text)
    compile_flags, link_flags = _flags(call)
    return {
        "name": name,
        **for_device,
        "files": [{"name": each, "text": text} for each, text in files.items()],
        "sources": [source.name for source in sources],
        "compile": ["-I.", *compile_flags],
        "link": link_flags,
    }


_IS_FOR = {"cuda": cpp_extension._is_cuda_file, "sycl": cpp_extension._is_sycl_file}


def _is_header(path: Path) -> bool:
    return path.suffix in _HEADERS and path.is_file()


def _flags(call: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Those for compiling and linking, as torch would write them down for ninja."""
    written: dict[str, Any] = {}
    before = cpp_extension._write_ninja_file
    cpp_extension._write_ninja_file = lambda **named: written.update(named)
    try:
        cpp_extension._write_ninja_file_to_build_library(
            path="",
            name=call["name"],
            sources=call["sources"],
            extra_cflags=call["extra_cflags"] or [],
            extra_cuda_cflags=[],
            extra_sycl_cflags=[],
            extra_ldflags=cpp_extension._prepare_ldflags(
                list(call["extra_ldflags"] or []), False, False, False, False
            ),
            extra_include_paths=[],
            with_cuda=False,
            with_sycl=False,
            is_standalone=False,
        )
    finally:
        cpp_extension._write_ninja_file = before
    compile_flags = [part for flag in written["cflags"] for part in shlex.split(flag)]
    return compile_flags, [part for flag in written["ldflags"] for part in shlex.split(flag)]
