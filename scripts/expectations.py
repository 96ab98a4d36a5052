"""What a run of the bundled suite is known to end as, held against its report.

Expectations are data beside the suite: a default, and findings, each with its cause, a verdict, for
a failure its class or for a rejection its rule, and the attempts that end so. Inputs are drawn
from another seed each time: with "sometimes", near a limit, an attempt may end either way.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

SUITE = Path("suites/tour")
INTERRUPTED = 130


def problems_of_suite() -> list[str]:
    """All of them, as level/name."""
    found = [path for path in SUITE.rglob("*.py") if path.name[0] not in "._"]
    return sorted(f"{path.parent.name}/{path.stem}" for path in found)


def attempt_ids(problems: Iterable[str], targets: Iterable[str]) -> list[str]:
    split = [problem.split("/") for problem in problems]
    return [f"tour/{level}/{target}/{name}" for target in targets for level, name in split]


def verdict(of: Any) -> str:
    """Of an attempt, or of a finding: "failed (codegen)", "rejected (precision)"."""
    why = of.get("class") or of.get("rule") or of.get("reason")
    return f"{of['verdict']} ({why})" if why else str(of["verdict"])


def wanted_verdicts(expected: Any, attempts: Iterable[str]) -> dict[str, list[str]]:
    """Attempt to what it may end as: as any finding has it that names it, which comes first.

    A finding may name attempts that are not asked for here.
    """
    default = str(expected["default"])
    wanted: dict[str, list[str]] = {attempt: [] for attempt in attempts}
    for finding in expected["findings"]:
        either = [default] if finding.get("sometimes") else []
        for attempt in finding["attempts"]:
            if attempt in wanted:
                wanted[attempt] += [verdict(finding), *either]
    return {attempt: verdicts or [default] for attempt, verdicts in wanted.items()}


def differences(wanted: dict[str, list[str]], attempts: Any) -> list[str]:
    """A line each. `attempts` are those of a report."""
    reached = {attempt["id"]: attempt for attempt in attempts}
    found = []
    for name in sorted({*reached, *wanted}):
        expected = wanted.get(name, ["no such attempt"])
        attempt = reached.get(name)
        got = verdict(attempt) if attempt else "not in the report"
        if got not in expected:
            why = f": {attempt['error']}" if attempt and attempt["error"] else ""
            found.append(f"FAIL {name}: expected {' or '.join(expected)}, got {got}{why}")
    return found
