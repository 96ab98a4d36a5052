"""Does what each row of the manual's table for users of HipKittens' runner says: runs its commands, looks for its files
in a run's folder, and for its keys in the JSON there. Prints what is not so, and how many rows there are of each kind."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

MARKED = re.compile(r"<!-- hipkittens:begin -->\n(.*?)<!-- hipkittens:end -->", re.DOTALL)
# What the table's commands say for what a user has.
STANDS_FOR = {
    "PROBLEM": "level1/1_scale.py",
    "DIR": "level1",
    "MODEL": "command:sh model.sh",
    "CODE": "RUN/1_scale/best_code.py",
    "RUN": "RUN",
    "FOLDER/": "FOLDER/",
    "FILE": "prompt.txt",
    "F": "0.1",
    "N": "2",
}
ENDED = (0, 1)  # a goal may not be reached


def rows(manual: str):
    table = MARKED.search(Path(manual).read_text())
    for line in table[1].splitlines()[2:]:
        if line.startswith("|"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def codes(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def help_of(command: str) -> str:
    return subprocess.run(["assay", command, "--help"], check=True, capture_output=True, text=True).stdout


def run(command: str) -> str:
    words = []
    for word in shlex.split(command):
        name, equals, value = word.rpartition("=")
        words.append(name + equals + STANDS_FOR.get(value, value) if equals else STANDS_FOR.get(word, word))
    # Nothing is timed here, and what is made of one row is not that of another.
    if words[1] == "write":
        words += ["--until", "verify"] if "--until" not in words else []
        words += ["--out", f"made/{len(list(Path('made').iterdir()))}", "--attempts", "1"]
    done = subprocess.run(words, check=False, capture_output=True, text=True, env=os.environ)
    return "" if done.returncode in ENDED else f"`{shlex.join(words)}`: {done.returncode}: {done.stderr}"


KEYS_IN = {
    "key of result.json": "RUN/1_scale/best_result.json",
    "key of summary.json": "RUN/summary.json",
    "key of a task": "RUN/summary.json",
    "key of detailed_report.json": "RUN/detailed_report.json",
}


def complaint(kind: str, here: str) -> str:
    """What is not as a row says; "": all is."""
    if kind in KEYS_IN and codes(here):
        found = json.loads(Path(KEYS_IN[kind]).read_text())
        if kind == "key of a task":
            found = found["tasks"][0]
        return "" if codes(here)[0] in found else f"{KEYS_IN[kind]} has no '{codes(here)[0]}'"
    for code in codes(here):
        if code.startswith("RUN/") and not Path(code).exists():
            return f"there is no {code}"
        if not code.startswith("assay "):
            continue
        command = code.split()[1]
        for option in re.findall(r"--[a-z-]+", code):
            if f"{option} " not in help_of(command).replace("\n", " "):
                return f"`assay {command}` has no {option}"
        if kind == "script" and (wrong := run(code)):
            return wrong
    return ""


kinds: Counter[str] = Counter()
for kind, there, here in rows(sys.argv[1]):
    kinds[kind] += 1
    if wrong := complaint(kind, here):
        print(f"{kind} {there}: {wrong}")
print(f"{sum(kinds.values())} rows")
