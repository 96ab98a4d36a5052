"""A kind of kernel: a folder of ../kinds with a problem and what is compared on it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from study.toml import read_toml
from study.variants import Variant, vary

ROOT = Path(__file__).resolve().parents[1]
BLOCKS = re.compile(r"\b(BLOCKS\b *=? *)100\b")  # where it is defined


@dataclass
class Kind:
    name: str
    what: str
    problem: Path
    kernel: Path  # for `author` iree the problem itself
    author: str  # of both sides: file, or iree
    seconds: float  # of one comparison, about: until there are measured ones
    budget: str  # as --budget takes it; empty: assay's own
    source: str  # the kernel's text, with `blocks` of kind.toml

    @property
    def language(self) -> str:
        return self.kernel.suffix[1:]

    @property
    def sizes(self) -> list[int]:
        """ROWS, INNER and COLUMNS of the product."""
        found = re.search(r"^ROWS, INNER, COLUMNS = (.*)$", self.problem.read_text(), re.MULTILINE)
        if found is None:
            raise ValueError(f"{self.problem} has no line ROWS, INNER, COLUMNS = ...")
        return [int(size) for size in found[1].split(",")]

    @property
    def fingerprint(self) -> str:
        """Of what is compared: what was measured of something else does not count."""
        code = Path(__file__).with_name("variants.py").read_text()
        text = "\0".join([self.problem.read_text(), self.source, self.budget, code])
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def variant(self, seed: str, extra_percent: int = 0) -> Variant:
        return vary(self.source, seed, self.language, extra_percent)


def read_kind(name: str) -> Kind:
    folder = ROOT / "kinds" / name
    table = read_toml(folder / "kind.toml")
    problem = folder / "problem.py"
    kernel = ROOT / "kernels" / table["kernel"] if "kernel" in table else problem
    source = kernel.read_text()
    if "blocks" in table:
        source, count = BLOCKS.subn(rf"\g<1>{table['blocks']}", source)
        if count != 1:
            raise ValueError(f"{kernel} defines BLOCKS {count} times, {folder.name} needs it once")
    return Kind(
        name,
        table["what"],
        problem,
        kernel,
        table.get("author", "file"),
        float(table["seconds"]),
        table.get("budget", ""),
        source,
    )
