"""Writes what the native runner for another CPU is compiled from into a folder.

    runner_source.py FOLDER DEPFILE ROOT... -- SOURCE... -- LIBRARY...

native_runner.cc is all sources in one, with the headers of theirs that lie below the roots. Each
file goes in once, as `#pragma once` has it. The folders of headers of libraries are copied beside
it. Its first line changes whenever they do. DEPFILE lists what was read, as compilers do with -MD.
"""

import hashlib
import re
import shutil
import sys
from pathlib import Path

INCLUDE = re.compile(r'#\s*include\s*["<]([^">]+)[">]')


class OneFile:
    """The text, and the files that are in it."""

    def __init__(self, roots: list[Path]) -> None:
        self.roots = roots
        self.read: list[Path] = []
        self.lines: list[str] = []

    def add(self, path: Path) -> None:
        """A file, with what it includes in the place of the line that says so."""
        if path in self.read:
            return
        self.read.append(path)
        for line in path.read_text().splitlines():
            included = INCLUDE.match(line)
            ours = self.find(included[1]) if included else None
            if ours:
                self.add(ours)
            elif included and '"' in line:
                sys.exit(f"{path}: {line}: there is no such header below {self.roots}")
            elif line != "#pragma once":
                self.lines.append(line)

    def find(self, name: str) -> Path | None:
        """The header of that name below the roots; None: it is another's."""
        return next((each / name for each in self.roots if (each / name).is_file()), None)


def split(words: list[str]) -> tuple[list[Path], list[str]]:
    """The paths before the next `--`, and what is behind it."""
    at = words.index("--") if "--" in words else len(words)
    return [Path(word) for word in words[:at]], words[at + 1 :]


def main() -> None:
    folder, depfile, *rest = sys.argv[1:]
    roots, rest = split(rest)
    sources, rest = split(rest)
    libraries, _ = split(rest)
    one = OneFile(roots)
    for source in sources:
        one.add(source)
    headers = sorted(path for each in libraries for path in each.rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in headers:
        digest.update(path.read_bytes())
    for library in libraries:
        shutil.rmtree(Path(folder, library.name), ignore_errors=True)
        shutil.copytree(library, Path(folder, library.name))
    output = Path(folder, "native_runner.cc")
    output.write_text("\n".join([f"// with headers {digest.hexdigest()}", *one.lines]) + "\n")
    target, *read = (str(each).replace(" ", "\\ ") for each in (output, *one.read, *headers))
    Path(depfile).write_text(f"{target}: {' '.join(read)}\n")


main()
