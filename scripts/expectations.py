"""What a run of the bundled suite is known to end as, held against its report.

Expectations are data beside the suite: a default, and findings, each with its cause, a verdict, for
a failure its class or for a rejection its rule, and the attempts that end so.
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


def wanted_verdicts(expected: Any, attempts: Iterable[str]) -> dict[str, str]:
    """Attempt to verdict. A finding may name attempts that are not asked for here."""
    wanted = dict.fromkeys(attempts, str(expected["default"]))
    for finding in expected["findings"]:
        for attempt in finding["attempts"]:
            if attempt in wanted:
                wanted[attempt] = verdict(finding)
    return wanted


def differences(wanted: dict[str, str], report: Any) -> list[str]:
    reached = {attempt["id"]: attempt for attempt in report["attempts"]}
    found = []
    for name in sorted({*reached, *wanted}):
        expected = wanted.get(name, "no such attempt")
        attempt = reached.get(name)
        got = verdict(attempt) if attempt else "not in the report"
        if got != expected:
            why = f": {attempt['error']}" if attempt and attempt["error"] else ""
            found.append(f"{name}: expected {expected}, got {got}{why}")
    return found
