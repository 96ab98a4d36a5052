"""Whether a verdict of assay is what an entry says must become of it."""

from __future__ import annotations

from typing import Any

from harness.entries import Entry
from harness.operations import OperationEntry


def complaint(entry: Entry | OperationEntry, attempt: Any) -> str:
    """What is not as expected; empty: all is."""
    verdict, rule, failure = attempt["verdict"], attempt["reason"], attempt["class"]
    got = f"{verdict} ({rule or failure or ''}): {attempt['error']}"
    classes = entry.classes if isinstance(entry, Entry) else []
    if verdict == "failed" and failure in classes:
        return ""
    if verdict != entry.verdict:
        return f"expected {entry.verdict}, got {got}"
    if verdict == "rejected" and rule not in entry.rules:
        return f"expected one of {', '.join(entry.rules)}, got {got}"
    if verdict == "failed" and failure not in classes:
        return f"expected failed ({', '.join(classes)}), got {got}"
    verified = [stage for stage in attempt["stages"] if stage["stage"] == "verify"]
    evidence = (verified[-1]["evidence"] if verified else None) or {}
    if isinstance(entry, Entry) and entry.label and entry.label not in evidence["labels"]:
        return f"expected the label {entry.label}, got {evidence['labels']}"
    launches = evidence.get("launches", [])
    state = {launch.get("parameters") for launch in launches}
    if isinstance(entry, Entry) and entry.parameters and state != {entry.parameters}:
        return f"expected parameters {entry.parameters}, got {state}"
    return ""
