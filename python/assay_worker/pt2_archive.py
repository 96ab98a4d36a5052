"""The files of torch.export, `.pt2`: a zip archive with a program in JSON, and weights beside it.

torch's own loader unpickles what it finds: sample inputs, tensors of classes of their own, objects.
Whoever reads a pickle runs what is in it. So the archive is read here, and nothing in it is ever
unpickled: weights are taken where they lie there as plain bytes, and sample inputs not at all.
"""

import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from assay_worker.graph_file import BadGraphFile

# What this file is written for. Others with the same first number have no more than further fields.
ARCHIVE_VERSION = "0"
SCHEMA_MAJOR = 8
# Of a program without its weights, in JSON.
MAX_JSON_BYTES = 256 << 20

_AGAIN = "export the model again, and save it by the torch that is installed here"

# ScalarType of torch._export.serde.schema.
TYPES = {
    1: torch.uint8,
    2: torch.int8,
    3: torch.int16,
    4: torch.int32,
    5: torch.int64,
    6: torch.float16,
    7: torch.float32,
    8: torch.float64,
    12: torch.bool,
    13: torch.bfloat16,
}
_STRIDED = 7  # Layout
# What comes of reading a file in a damaged archive. A name that is no text is a ValueError.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)


@dataclass(frozen=True)
class Saved:
    """A tensor of the archive."""

    tensor: Tensor
    is_parameter: bool


class Archive:
    """One program with its tensors. What is wrong is a BadGraphFile."""

    def __init__(self, content: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            names = self._zip.namelist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise BadGraphFile(f"it is no .pt2 file, or is cut off: {error}") from None
        self._root = names[0].split("/")[0] + "/" if names else ""
        self._names = {
            name.removeprefix(self._root) for name in names if name.startswith(self._root)
        }
        self._require_known()
        models = [name for name in self._names if name.startswith("models/")]
        if len(models) != 1 or not models[0].endswith(".json"):
            raise BadGraphFile(f"it holds {len(models)} programs: save one by itself")
        self._name = models[0].removeprefix("models/").removesuffix(".json")
        self.program = self._json(models[0])
        version = self.program.get("schema_version")
        version = version if isinstance(version, dict) else {}
        if version.get("major") != SCHEMA_MAJOR:
            raise BadGraphFile(
                f"its schema is of version {version.get('major')}.{version.get('minor')}, and "
                f"{SCHEMA_MAJOR} is read: {_AGAIN}"
            )
        self._storages: dict[tuple[str, torch.dtype], Tensor] = {}
        self._tensors: dict[Any, Tensor] = {}

    def _require_known(self) -> None:
        if "serialized_exported_program.json" in self._names:
            raise BadGraphFile(f"an older torch wrote it, with its weights in pickles: {_AGAIN}")
        if "archive_format" not in self._names or self.read("archive_format") != b"pt2":
            raise BadGraphFile("it is a zip archive, and no program that torch.export.save() wrote")
        version = self.read("archive_version").decode("utf-8", "replace")
        if version != ARCHIVE_VERSION:
            raise BadGraphFile(
                f"its archive is of version {version[:20]}, and {ARCHIVE_VERSION} is read: {_AGAIN}"
            )

    def read(self, name: str) -> bytes:
        """The bytes of a file in it, which is stored as it is."""
        if name not in self._names:
            raise BadGraphFile(f"it is damaged: it has no {name}")
        info = self._zip.getinfo(self._root + name)
        if info.compress_type != zipfile.ZIP_STORED:  # a small file could become a large one
            raise BadGraphFile(f"its {name} is compressed, which torch.export.save() never does")
        try:
            return self._zip.read(info)
        except _UNREADABLE as error:
            raise BadGraphFile(f"it is damaged: {error}") from None

    def _json(self, name: str) -> dict[str, Any]:
        text = self.read(name)
        if len(text) > MAX_JSON_BYTES:
            raise BadGraphFile(f"its {name} has {len(text)} bytes: {MAX_JSON_BYTES} are taken")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadGraphFile(f"it is damaged: {name}: {error}") from None
        if not isinstance(value, dict):
            raise BadGraphFile(f"it is damaged: {name} is no object of JSON")
        return value

    def tensors(self, kind: str) -> dict[str, Saved]:
        """Its "weights" or "constants", by the names that the program has for them.

        Two names of one tensor are one here, too.
        """
        folder = f"data/{kind}/"
        if f"{folder}{self._name}.pt" in self._names:
            raise BadGraphFile(f"an older torch wrote it, with its {kind} in pickles: {_AGAIN}")
        config = self._json(f"{folder}{self._name}_{kind}_config.json").get("config")
        found = {}
        for name, told in (config if isinstance(config, dict) else {}).items():
            with damaged(name):
                if told["use_pickle"] or told["tensor_meta"] is None:
                    raise BadGraphFile(
                        f"its '{name}' is in a pickle: whoever reads one runs what is in it, so "
                        "assay reads none. Save the program with plain tensors"
                    )
                tensor = self._tensor(name, folder + told["path_name"], told["tensor_meta"])
                found[name] = Saved(tensor, bool(told["is_param"]))
        return found

    def _tensor(self, name: str, path: str, meta: dict[str, Any]) -> Tensor:
        dtype = type_of(name, meta)
        sizes = [_integer(each) for each in meta["sizes"]]
        strides = [_integer(each) for each in meta["strides"]]
        offset = _integer(meta["storage_offset"])
        key = (path, dtype, tuple(sizes), tuple(strides), offset)
        if key not in self._tensors:
            storage = self._storage(path, dtype)
            if storage.numel() == 0 and all(sizes):
                raise BadGraphFile(f"its '{name}' has no values: it was saved without any")
            last = offset + sum((n - 1) * step for n, step in zip(sizes, strides, strict=True))
            if all(sizes) and last >= storage.numel():
                raise BadGraphFile(
                    f"it is damaged: its '{name}' is larger than what is there of it"
                )
            self._tensors[key] = torch.as_strided(storage, sizes, strides, offset)
        return self._tensors[key]

    def _storage(self, path: str, dtype: torch.dtype) -> Tensor:
        if (path, dtype) not in self._storages:
            content = bytearray(self.read(path))
            usable = len(content) // dtype.itemsize
            self._storages[path, dtype] = (
                torch.frombuffer(content, dtype=dtype, count=usable)
                if usable
                else torch.empty(0, dtype=dtype)
            )
        return self._storages[path, dtype]


# What comes of reading JSON that is not as it should be.
_ODD = (
    ArithmeticError,
    AttributeError,
    IndexError,
    KeyError,
    RecursionError,
    StopIteration,
    SyntaxError,
    TypeError,
    ValueError,
)


@contextmanager
def damaged(name: str) -> Iterator[None]:
    """Whatever is not as it should be in what the block reads becomes a BadGraphFile."""
    try:
        yield
    except _ODD as error:
        raise BadGraphFile(
            f"it is damaged: what it says of '{name}' is not complete: "
            f"{type(error).__name__}: {error}"
        ) from None


def type_of(name: str, meta: dict[str, Any]) -> torch.dtype:
    """Of the metadata of a tensor."""
    dtype = TYPES.get(meta["dtype"])
    if dtype is None:
        raise BadGraphFile(f"its '{name}' is of ScalarType {meta['dtype']}, which is not taken")
    if meta["layout"] != _STRIDED:
        raise BadGraphFile(f"its '{name}' is sparse, or in a layout of a library's own")
    return dtype


def _integer(told: dict[str, Any]) -> int:
    value = told["as_int"]
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is no size")
    return value
