"""Candidates for operations that assay generates. A folder is one, and says for which."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from harness.entries import ROOT, RULES, BadEntry, as_list, known, tomllib
from harness.layout import CouldNotWork

FOLDER = ROOT / "operations"
FIELDS = {"operations", "verdict", "rule", "why"}
_INCLUDE = re.compile(r'^#include "(\w+\.h)"$', re.MULTILINE)


@dataclass
class OperationEntry:
    name: str
    operations: list[str]  # as on the command line
    verdict: str
    rules: list[str]
    source: str  # complete
    ending: str  # ".cc", ".py"

    @property
    def id(self) -> str:
        return f"operations/{self.name}"


def read(folder: Path) -> OperationEntry:
    """Raises BadEntry."""
    try:
        table = tomllib.loads((folder / "expect.toml").read_text())
        (candidate,) = folder.glob("candidate.*")
        source = candidate.read_text()
    except (OSError, ValueError) as error:
        raise BadEntry(f"{folder.name}: {error}") from None
    if unknown := set(table) - FIELDS:
        raise BadEntry(f"{folder.name}: expect.toml has {', '.join(sorted(unknown))}")
    operations, rules = as_list(table.get("operations", [])), as_list(table.get("rule", []))
    if not operations or not table.get("why") or table.get("verdict") not in _VERDICTS:
        raise BadEntry(f"{folder.name}: expect.toml needs operations, verdict and why")
    if (table["verdict"] == "rejected") != bool(known(rules, RULES, "rule")):
        raise BadEntry(f"{folder.name}: what is rejected, and nothing else, has a rule")
    whole = _INCLUDE.sub(lambda found: (FOLDER / found[1]).read_text(), source)
    return OperationEntry(folder.name, operations, table["verdict"], rules, whole, candidate.suffix)


_VERDICTS = ("accepted", "rejected")


def entries() -> list[OperationEntry]:
    return [read(folder) for folder in sorted(FOLDER.iterdir()) if folder.is_dir()]


def workloads(assay: str, operations: list[str]) -> list[str]:
    """The names of what operations stand for, as candidates' files have them. Raises
    CouldNotWork."""
    command = [assay, "run", *operations, "--by", "eager", "--on", "local", "--dry-run"]
    run = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        raise CouldNotWork(f"{' '.join(command)}: ended with {run.returncode}")
    lines = [line.split("/") for line in run.stdout.splitlines() if line.startswith("op/")]
    return [line[3] for line in lines]  # op/KIND/TARGET/WORKLOAD/AUTHOR


def lay_out(
    assay: str, chosen: list[OperationEntry], folder: Path
) -> dict[tuple[str, int], OperationEntry]:
    """Writes candidates for one run into a folder: by workload and number, whose each is. Raises
    CouldNotWork."""
    owners: dict[tuple[str, int], OperationEntry] = {}
    count: dict[str, int] = {}
    for entry in chosen:
        for workload in workloads(assay, entry.operations):
            number = count[workload] = count.get(workload, 0) + 1
            (folder / f"{workload}__s{number}{entry.ending}").write_text(entry.source)
            owners[workload, number] = entry
    return owners
