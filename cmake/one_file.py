"""Writes C++ sources with all headers of theirs that lie in some folders into one file.

    one_file.py OUTPUT DEPFILE FOLDER... -- SOURCE...

Other headers stay includes. Each file goes in once, as `#pragma once` has it. DEPFILE lists what
was read, as compilers do with -MD.
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'#include ["<]([^">]+)[">]')


class OneFile:
    """The text, and the files that are in it."""

    def __init__(self, folders: list[Path]) -> None:
        self.folders = folders
        self.read: list[Path] = []
        self.lines: list[str] = []

    def add(self, path: Path) -> None:
        """A file, and before each line that is not for it what that includes."""
        if path in self.read:
            return
        self.read.append(path)
        for line in path.read_text().splitlines():
            included = INCLUDE.match(line)
            ours = self.find(included[1]) if included else None
            if ours:
                self.add(ours)
            elif line != "#pragma once":
                self.lines.append(line)

    def find(self, name: str) -> Path | None:
        """The header of that name in the folders; None: it is another's."""
        return next((each / name for each in self.folders if (each / name).is_file()), None)


def main() -> None:
    output, depfile, *rest = sys.argv[1:]
    split = rest.index("--")
    one = OneFile([Path(folder) for folder in rest[:split]])
    for source in rest[split + 1 :]:
        one.add(Path(source))
    Path(output).write_text("\n".join(one.lines) + "\n")
    read = " ".join(str(path).replace(" ", "\\ ") for path in one.read)
    Path(depfile).write_text(f"{output}: {read}\n")


main()
