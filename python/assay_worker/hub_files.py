"""Which files of the Hugging Face hub a job depends on: what it read, and what it did not find.

They are no part of the problem's file, so that an answer that came of them says so.
"""

import hashlib
import os
import re

from assay_worker.protocol import Message

MISSING = "missing"  # in place of a hash
MAX_NAME_CHARACTERS = 128
MAX_FILES = 64  # of an answer: far below the limit of a frame

_PIECE_BYTES = 1 << 20
_IN_SNAPSHOT = re.compile(r"/(?:models|datasets|spaces)--[^/]+/snapshots/[^/]+/(.+)$")

_seen: set[tuple[str, str]] = set()  # name and hash, of this process


def note(name: str, path: str) -> None:
    """The file `path`, which is `name`, was read."""
    _seen.add((_shortened(name), _sha256(path)))


def note_missing(name: str) -> None:
    """`name` was looked for, and is not here."""
    _seen.add((_shortened(name), MISSING))


def seen() -> list[Message]:
    """[{"name", "sha256"}] of this process, sorted; "missing" stands for the hash of no file.

    A name is that of the repository, or the local folder, and of the file: "gpt2/config.json". One
    name may be there twice: it was found later, or is of two revisions.
    """
    files = [{"name": name, "sha256": sha256} for name, sha256 in sorted(_seen)]
    if len(files) <= MAX_FILES:
        return files
    rest = files[MAX_FILES - 1 :]
    return [
        *files[: MAX_FILES - 1],
        {"name": f"and {len(rest)} more", "sha256": _hash_of(repr(rest))},
    ]


def path_within(folder: str, path: str) -> str:
    """What `path` is called in a local folder, or in the snapshot of the cache that it lies in."""
    if os.path.isdir(folder):
        return os.path.relpath(path, folder)
    found = _IN_SNAPSHOT.search(path)
    return found[1] if found else os.path.basename(path)


def _shortened(name: str) -> str:
    """Two long names stay apart."""
    if len(name) <= MAX_NAME_CHARACTERS:
        return name
    digits = _hash_of(name)[:16]
    return f"{digits}...{name[len(digits) + 3 - MAX_NAME_CHARACTERS :]}"


def _hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _sha256(path: str) -> str:
    result = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(_PIECE_BYTES):
            result.update(piece)
    return result.hexdigest()
