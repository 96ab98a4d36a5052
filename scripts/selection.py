#!/usr/bin/env python3
"""Says what a check runs: what the change asks for. The change is what differs from the commit in
scripts/proved, on which everything passed.

    scripts/selection.py why         everything, or how much has changed; and why
    scripts/selection.py cases       of tests/cases: a smoke set, those that it changes, and of
                                     those that it touches ten at most, drawn by the commit
    scripts/selection.py corpora     of tests/corpus: an eighth, by the commit, a quarter where the
                                     judge has changed, and those that it touches
    scripts/selection.py sessions    "yes" where those of the documents are to run
    scripts/selection.py sources     the C++ files in it

One on each line. Everything runs where scripts/proved is missing or names no commit of this
history, where a path is in no row of TABLE, and with ASSAY_EVERYTHING=1 (`scripts/check --all`).
"""

from __future__ import annotations

import fnmatch
import os
import subprocess
import sys
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PARTS_OF_CORPORA = 8
MOST_TOUCHED_CASES = 10  # a check is to take minutes, whatever the change

# What a changed path asks for, beside the parts that always run and the cases whose `touches` name
# it: "sessions" of the documents, all "cases", twice as many entries of the "corpora", or such
# entries by the beginning of their ids. Each folder of src/ has a row: what is in a new one is
# unknown until somebody says what it asks for. A path that no row names is unknown, as is
# constraints.txt, with which all may change: pyproject.toml names no version that is tested, and
# what reads it always runs. `*` stands for slashes, too.
TABLE: list[tuple[str, tuple[str, ...]]] = [
    ("*.md", ("sessions",)),
    ("docs/*", ("sessions",)),
    ("examples/*", ("sessions",)),
    ("src/cli/*", ("sessions",)),
    ("src/report/*", ("sessions",)),
    ("scripts/check-docs", ("sessions",)),
    ("src/op/*", ("operations/",)),
    ("src/author/*", ("corpora",)),
    ("src/judge/*", ("corpora",)),
    ("src/measure/*", ("corpora",)),
    ("src/run/*", ("corpora",)),
    ("src/session/*", ("corpora",)),
    ("src/verify/*", ("corpora",)),
    ("include/*", ("corpora",)),
    ("python/assay_worker/*", ("corpora",)),
    ("src/base/*", ()),
    ("src/compile/*", ()),
    ("src/model/*", ()),
    ("src/provider/*", ()),
    ("src/sandbox/*", ()),
    ("src/search/*", ()),
    ("src/tune/*", ()),
    ("src/serve/*", ()),
    ("src/setup/*", ()),
    ("src/store/*", ()),
    ("src/target/*", ()),
    ("src/watch/*", ()),
    ("src/workload/*", ()),
    ("python/assay/*", ("sessions",)),
    ("python/export_alone.py", ()),
    ("python/tests/*", ()),
    ("policies/*", ()),
    ("models/*", ()),
    ("prices/*", ()),
    ("page/*", ()),
    ("prompts/*", ()),
    ("suites/*", ()),
    ("sets/*", ()),
    ("configs/*", ()),
    ("targets/*", ()),
    ("web/*", ()),
    ("tests/cases/run", ("cases",)),
    ("tests/cases/prelude.bash", ("cases",)),
    ("tests/cases/normalise.toml", ("cases",)),
    ("tests/cases/*", ()),
    ("tests/corpus/*", ()),
    ("tests/models/*", ()),
    ("tests/operations/*", ()),
    ("tests/check/*", ()),
    ("tests/data/*", ()),
    ("tests/escapes/*", ()),
    ("tests/extension/*", ()),
    ("tests/fakes/*", ()),
    ("tests/fuzz/*", ()),
    ("tests/golden/*", ()),
    ("tests/page/*", ()),
    ("tests/naive_judge/*", ()),
    ("tests/recorded/*", ()),
    ("tests/timing/*", ()),
    ("tests/*.cc", ()),
    ("tests/*.h", ()),
    ("tests/CMakeLists.txt", ()),
    ("bench/*", ()),
    ("scripts/*", ()),
    ("cmake/*", ()),
    (".ci/*", ()),
    (".clang-format", ()),
    (".clang-tidy", ()),
    (".gitignore", ()),
    ("CMakeLists.txt", ()),
    ("CMakePresets.json", ()),
    ("LICENSE", ()),
    ("Makefile", ()),
    ("VERSION", ()),
    ("pyproject.toml", ()),
]


class NoCommit(Exception):
    """Why nobody can say what has changed, in one line."""


def git(repository: Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(repository), *words], check=True, capture_output=True, text=True
    ).stdout


def proved_commit(repository: Path) -> str:
    """Raises NoCommit."""
    path = repository / "scripts" / "proved"
    if not path.is_file():
        raise NoCommit("there is no scripts/proved")
    commit = path.read_text().strip()
    known = subprocess.run(
        ["git", "-C", str(repository), "merge-base", "--is-ancestor", commit, "HEAD"],
        check=False,
        capture_output=True,
    )
    if known.returncode != 0:
        raise NoCommit(f"scripts/proved names '{commit}', which is not in this history")
    return commit


def changed_paths(repository: Path, commit: str) -> list[str]:
    """Those that came and went, too; committed or not."""
    differ = git(repository, "diff", "-z", "--name-only", "--no-renames", commit)
    new = git(repository, "ls-files", "-z", "--others", "--exclude-standard")
    return sorted(set((differ + new).split("\0")) - {""})


def matches(path: str, globs: list[str]) -> bool:
    return any(fnmatch.fnmatchcase(path, each) for each in globs)


def lines_of(path: Path) -> list[str]:
    """Without comments."""
    lines = (line.strip() for line in path.read_text().splitlines())
    return [line for line in lines if line and not line.startswith("#")]


@dataclass
class Selection:
    repository: Path
    changed: list[str]
    everything: str  # why everything runs; "": it does not

    def asks_for(self, what: str) -> bool:
        rows = [row for row, asked in TABLE if what in asked]
        return bool(self.everything) or any(matches(path, rows) for path in self.changed)

    def cases(self) -> list[str]:
        folder = self.repository / "tests" / "cases"
        names = sorted(path.parent.name for path in folder.glob("*/cmd"))
        if self.asks_for("cases"):
            return names
        taken = set(lines_of(folder / "smoke"))
        taken |= {name for name in names if self.has_changed([f"tests/cases/{name}/*"])}
        touched = [name for name in names if self.touches(folder / name) and name not in taken]
        touched.sort(key=lambda name: zlib.crc32((self.head + name).encode()))
        taken |= set(touched[:MOST_TOUCHED_CASES])
        return [name for name in names if name in taken]

    def touches(self, case: Path) -> bool:
        file = case / "touches"
        return file.is_file() and self.has_changed(lines_of(file))

    def has_changed(self, globs: list[str]) -> bool:
        return any(matches(path, globs) for path in self.changed)

    @cached_property
    def head(self) -> str:
        return git(self.repository, "rev-parse", "HEAD").strip()

    @cached_property
    def parts(self) -> set[int]:
        part = int(self.head[:8], 16) % PARTS_OF_CORPORA
        opposite = (part + PARTS_OF_CORPORA // 2) % PARTS_OF_CORPORA
        return {part, opposite} if self.asks_for("corpora") else {part}

    def corpora(self) -> list[str]:
        folder = self.repository / "tests" / "corpus"
        paths = sorted(folder.glob("*/*/expect.toml"))
        entries = [f"{path.parents[1].name}/{path.parent.name}" for path in paths]
        return [entry for entry in entries if self.everything or self.takes(entry)]

    def takes(self, entry: str) -> bool:
        kind = entry.split("/")[0] + "/"
        return (
            zlib.crc32(entry.encode()) % PARTS_OF_CORPORA in self.parts
            or any(path.startswith(f"tests/corpus/{entry}/") for path in self.changed)
            or self.asks_for(kind)
        )

    def sources(self) -> list[str]:
        """Of all C++ that is compiled here: candidates for the judge are none of it."""
        found = git(self.repository, "ls-files", "-z", "src", "tests", "bench").split("\0")
        mine = [path for path in found if Path(path).suffix in (".cc", ".h")]
        mine = [path for path in mine if not matches(path, NO_SOURCES)]
        mine = [path for path in mine if (self.repository / path).is_file()]
        return [path for path in mine if self.everything or path in self.changed]


# What another compiler reads, or a test gives to assay.
NO_SOURCES = [
    "tests/corpus/*",
    "tests/cases/*",
    "tests/timing/*",
    "tests/data/*",
    "tests/escapes/*",
    "bench/gpu/*",
]


def select(repository: Path) -> Selection:
    if os.environ.get("ASSAY_EVERYTHING"):
        return Selection(repository, [], "that is asked for")
    try:
        changed = changed_paths(repository, proved_commit(repository))
    except NoCommit as unclear:
        return Selection(repository, [], str(unclear))
    globs = [row for row, _ in TABLE]
    unknown = [path for path in changed if not matches(path, globs)]
    why = f"no row of TABLE in scripts/selection.py names {unknown[0]}" if unknown else ""
    return Selection(repository, changed, why)


def main() -> int:
    selection = select(REPOSITORY)
    match sys.argv[1:]:
        case ["why"]:
            count = len(selection.changed)
            print(
                f"everything: {selection.everything}"
                if selection.everything
                else f"what {count} changed files ask for, since scripts/proved"
            )
        case ["cases"]:
            print(*selection.cases(), sep="\n")
        case ["corpora"]:
            print(*selection.corpora(), sep="\n")
        case ["sessions"]:
            print("yes" if selection.asks_for("sessions") else "no")
        case ["sources"]:
            print(*selection.sources(), sep="\n")
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
