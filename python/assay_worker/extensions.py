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
import re
import shlex
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.utils import cpp_extension

from assay_worker.gpu import StandIn
from assay_worker.protocol import Message

MAX_FILES = 64
MAX_BYTES = 512 << 10  # of all files of one extension: it has to fit into one answer
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inc", ".inl", ".ipp")
_NAME = re.compile(r"[\w+][\w+.-]*(/[\w+][\w+.-]*)*", re.ASCII)  # that the judge takes
# Where every compiler looks. Named once more they change nothing, but that the judge would have no
# precompiled header for such flags.
_COMPILERS_OWN = ("/usr/include", "/usr/local/include")


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
        on_card: bool = False,
    ) -> None:
        """`gpu`: the kind that those for a device are built for; `stand_ins`: which of them were,
        and cannot be loaded here; `on_card`: with torch's libraries for CUDA.
        """
        self._given = dict(zip(digests, descriptors, strict=True))
        self._gpu, self._stand_ins, self._on_card = gpu, frozenset(stand_ins), on_card
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
        request = _request(call, self._gpu, self._on_card)
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


def _request(call: dict[str, Any], gpu: str | None, on_card: bool) -> Message:
    """{"name", "device"} of one for an accelerator that is not `gpu`; else {"name", "files":
    [{"name", "text"}], "sources": names, "compile": flags, "link": flags}, with "device" and
    "device_compile" of one for `gpu`. Sources lie in the folder where it is built, headers there
    and in sub-folders.
    """
    name, sources = call["name"], [Path(source) for source in call["sources"]]
    for_device: Message = {}
    if gpu != "hip" and any(source.suffix == ".hip" for source in sources):
        return {"name": name, "device": "hip"}  # no other compiler takes these
    for device in ("cuda", "sycl"):
        wanted = call[f"with_{device}"]
        if wanted or (wanted is None and any(map(_IS_FOR[device], map(str, sources)))):
            for_device = {"device": device}
            if device != gpu:
                return {"name": name, **for_device}
            for_device["device_compile"] = [
                part for flag in call["extra_cuda_cflags"] or [] for part in shlex.split(flag)
            ]
    if missing := [path for path in sources if not path.is_file()]:
        raise RuntimeError(
            f"the source {str(missing[0])!r} of the extension {name!r} is not there: where a "
            "candidate is a file of its own, those beside it are handed in whose names stand in "
            "quotes in its code, and no links. load_inline() takes sources as text"
        )
    compile_flags, link_flags = _flags(call, on_card and bool(for_device))
    folders = [*(source.parent for source in sources), *(call["extra_include_paths"] or ())]
    own, others = _include_folders(folders, compile_flags)
    files: dict[str, str] = {}
    total = 0

    def add(file: str, path: Path) -> None:
        nonlocal total
        text = path.read_text(encoding="utf-8")
        total += len(text.encode())
        if len(files) == MAX_FILES or total > MAX_BYTES:
            raise RuntimeError(
                f"the extension {name!r} has more than {MAX_FILES} files or {MAX_BYTES} bytes"
            )
        files[file] = text

    for path in sources:
        if path.name in files:
            raise RuntimeError(f"two sources of the extension {name!r} are called {path.name}")
        add(path.name, path)
    for folder in own:
        for file, path in _headers(folder):
            if file not in files:  # the compiler, too, takes the first
                add(file, path)
    return {
        "name": name,
        **for_device,
        "files": [{"name": each, "text": text} for each, text in files.items()],
        "sources": [source.name for source in sources],
        "compile": ["-I.", *(f"-I{folder}" for folder in others), *compile_flags],
        "link": link_flags,
    }


_IS_FOR = {"cuda": cpp_extension._is_cuda_file, "sycl": cpp_extension._is_sycl_file}


def _include_folders(
    folders: Iterable[str | Path], compile_flags: list[str]
) -> tuple[list[str], list[str]]:
    """Those that only this process has, and those that the judge's compiler can read as well.

    The headers of the first are to be handed over. Neither has what the compiler looks through in
    any case; as a compiler does, this passes over what is not there.
    """
    at_any_rate = {os.path.realpath(folder) for folder in _COMPILERS_OWN}
    for flag, folder in zip(compile_flags, compile_flags[1:], strict=False):
        if flag == "-isystem":
            at_any_rate.add(os.path.realpath(folder))
    own: list[str] = []
    others: list[str] = []
    for folder in dict.fromkeys(os.path.realpath(each) for each in folders):
        if folder in at_any_rate or not os.path.isdir(folder):
            continue
        writable = (tempfile.gettempdir(), "/dev/shm")
        is_own = any(Path(folder).is_relative_to(os.path.realpath(each)) for each in writable)
        (own if is_own else others).append(folder)
    return own, others


def _headers(folder: str) -> Iterator[tuple[str, Path]]:
    """What a folder and its sub-folders have: a header's name in it, and its path."""
    for path in sorted(Path(folder).rglob("*")):
        name = str(path.relative_to(folder))
        if path.suffix in _HEADERS and _NAME.fullmatch(name) and path.is_file():
            yield name, path


def _flags(call: dict[str, Any], on_card: bool) -> tuple[list[str], list[str]]:
    """Those for compiling and linking, as torch would write them down for ninja. `on_card`: with
    torch's libraries for CUDA, too.
    """
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
                list(call["extra_ldflags"] or []), on_card, False, False, False
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
