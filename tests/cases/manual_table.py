"""Does what the rows of a table in the manual say: those for people who come from another tool, and
look for what they had there. Cases `from_*` call check() and print what is not so.

The last cell of a row is read from left to right, code by code:

    `assay ...`, `NAME=value assay ...`   is run, once, whatever rows have it
    says `text`                           what was run last has printed that
    leaves `FILE`                         what was run last has made that; OUT is its folder
    `RUN/...`                             is there, in the run that the case made before

Any other code is only read by people. Where the first cell is `key of NAME` or `column of NAME`,
the last cell names keys of the JSON that the case calls NAME, or columns of that text.
"""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CODE = re.compile(r"(says|leaves)? ?`([^`]+)`")
COMMAND = re.compile(r"([A-Z_]+=\S+ )*assay ")


@dataclass
class Row:
    kind: str
    there: str
    here: str

    def words(self) -> list[tuple[str, str]]:
        """Each code with the verb before it."""
        return [(verb, code) for verb, code in CODE.findall(self.here.replace("\\|", "|"))]


@dataclass
class Table:
    """What a case has for its table."""

    name: str  # of the marks in the manual: <!-- NAME:begin -->
    stands_for: dict[str, str] = field(default_factory=dict)  # a word of a command: what a user has
    complete: Callable[[list[str]], list[str]] = lambda words: words  # adds what a row leaves out
    statuses: Callable[[Row, list[str]], tuple[int, ...]] = lambda row, words: (0,)
    keys: dict[str, Any] = field(default_factory=dict)  # by the name in the first cell
    columns: dict[str, str] = field(default_factory=dict)  # likewise, a text
    ran: dict[str, tuple[int, str, str]] = field(default_factory=dict)  # status, output, folder

    def rows(self, manual: Path) -> list[Row]:
        marked = rf"<!-- {self.name}:begin -->\n(.*?)<!-- {self.name}:end -->"
        (text,) = re.findall(marked, manual.read_text(), re.DOTALL)
        lines = [line for line in text.splitlines()[2:] if line.startswith("|")]
        return [
            Row(*(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])) for line in lines
        ]

    def complaint(self, row: Row) -> str:
        """What is not as the row says; "": all is."""
        what, _, name = row.kind.partition(" of ")
        codes = [code for _, code in row.words()]
        if what == "key" and name in self.keys:
            lacking = [code for code in codes if code not in self.keys[name]]
            return f"there is no '{lacking[0]}'" if lacking else ""
        if what == "column" and name in self.columns:
            lacking = [code for code in codes if not stands_in(code, self.columns[name])]
            return f"there is no column '{lacking[0]}'" if lacking else ""
        output = folder = ""
        for verb, code in row.words():
            if COMMAND.match(code):
                status, output, folder = self.run(code)
                wanted = self.statuses(row, shlex.split(code))
                if status not in wanted:
                    return f"{code}: status {status}: {output[-300:]}"
            elif verb == "says" and not re.search(not_in_a_number(code), output):
                return f"it says no '{code}': {output[-300:]}"
            elif verb == "leaves" or code.startswith("RUN/"):
                file = code.replace("OUT", folder, 1) if code.startswith("OUT/") else code
                if not any(Path().glob(file)):
                    return f"there is no {file}: {output[-300:]}"
        return ""

    def run(self, command: str) -> tuple[int, str, str]:
        if command not in self.ran:
            folder = f"out{len(self.ran)}"
            words = [self.meant(word, folder) for word in self.complete(shlex.split(command))]
            at = words.index("assay")
            environment = {**os.environ, **dict(word.split("=", 1) for word in words[:at])}
            done = subprocess.run(
                words[at:], check=False, capture_output=True, text=True, env=environment
            )
            self.ran[command] = (done.returncode, done.stdout + done.stderr, folder)
        return self.ran[command]

    def meant(self, word: str, folder: str) -> str:
        name, equals, value = word.rpartition("=")
        return name + equals + {**self.stands_for, "OUT": folder}.get(value, value)


def not_in_a_number(code: str) -> str:
    """A pattern for it: "1 attempt" is not in "21 attempts"."""
    return ("(?<![0-9])" if code[0].isdigit() else "") + re.escape(code)


def stands_in(column: str, text: str) -> bool:
    """As a word of its own."""
    return re.search(rf"(?<!\w){re.escape(column)}(?!\w)", text) is not None


def check(table: Table, manual: str) -> None:
    rows = table.rows(Path(manual))
    for row in rows:
        if wrong := table.complaint(row):
            print(f"{row.kind} {row.there}: {wrong}")
    print(f"{len(rows)} rows, {len(table.ran)} commands")


def read_json(path: str) -> Any:
    return json.loads(Path(path).read_text())
