"""Looks whether variants of a native kernel are compiled to the same loops."""

import re
import subprocess
from pathlib import Path

from native_build import compile_kernel

from study.kinds import Kind
from study.variants import Variant

HEAD = re.compile(r"^[0-9a-f]+ <([\w.]+)>:$")
INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\t([a-z0-9]+)")
PADDING = ("nop", "nopw", "nopl", "xchg", "data16", "cs")  # between what is aligned


def instructions(library: Path, function: str) -> list[str]:
    """The names of a function's, in their order. Raises RuntimeError where there is none."""
    command = ["objdump", "--disassemble", "--no-show-raw-insn", str(library)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: list[str] = []
    inside = False
    for line in text.splitlines():
        if head := HEAD.match(line):
            # The compiler may have made a copy of it, NAME.isra.0 say.
            inside = head[1].split(".")[0] == function
        elif inside and (match := INSTRUCTION.match(line)) and match[1] not in PADDING:
            found.append(match[1])
    if not found:
        raise RuntimeError(f"{library} has no function {function}")
    return found


def compile_native(kind: Kind, variant: Variant, folder: Path, name: str) -> Path:
    """As assay compiles it."""
    source = folder / f"{name}.{kind.language}"
    source.write_text(variant.text)
    library = folder / f"{name}.so"
    compile_kernel(source, library)
    return library


def loop_of(kind: Kind, variant: Variant, folder: Path) -> list[str]:
    """Of the function that is first among the kernel's names: it does the work."""
    return instructions(
        compile_native(kind, variant, folder, "variant"), next(iter(variant.names.values()))
    )
