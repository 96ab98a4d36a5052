"""What the tests of the escape corpus (tests/escapes, tests/escapes_test.cc) say, as figures."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from harness.entries import ROOT, tomllib

ESCAPES = ROOT.parent / "escapes"


def gaps_of(attack: str) -> list[str]:
    """The levels at which it is known to get through."""
    expect = tomllib.loads((ESCAPES / attack / "expect.toml").read_text())
    return list(expect.get("gaps", {}))


def figures(tests: Path) -> tuple[dict[str, int], list[str]]:
    """Runs them with the binary `tests`. Returns counts, and what was not as expected."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [str(tests), "--gtest_filter=Escape/*", f"--gtest_output=json:{file.name}"]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        suites: list[Any] = json.loads(Path(file.name).read_text())["testsuites"]
    names = ("attacks", "tried", "held", "gaps", "skipped", "succeed_without_jail")
    count = dict.fromkeys((f"escapes_{name}" for name in names), 0)
    count["escapes_attacks"] = sum(1 for each in ESCAPES.iterdir() if each.is_dir())
    misses = []
    for test in (test for suite in suites for test in suite["testsuite"]):
        kind, _, name = test["name"].partition("/")
        if test["result"] == "SKIPPED":
            count["escapes_skipped"] += 1
        elif test.get("failures"):
            misses.append(f"escapes/{name}: {kind} failed")
        elif kind == "IsHeld":
            attack, level, _ = name.rsplit("_", 2)
            through = level in gaps_of(attack)
            count["escapes_gaps" if through else "escapes_held"] += 1
        else:
            count["escapes_succeed_without_jail"] += 1
    count["escapes_tried"] = count["escapes_held"] + count["escapes_gaps"]
    return count, misses
