"""Says, in an order of its own, what became of each request."""

import collections
import json
import sys

counts = collections.Counter()
for verdict in map(json.loads, sys.stdin):
    name = str(verdict["id"]).split(".py")[0]
    if "invalid" in verdict:
        counts[f"{name}: {verdict['invalid']}"] += 1
    elif name == "forks":  # it may be told by what its children write, or by their number
        assert verdict["verdict"] in ("rejected", "failed"), verdict
        counts["forks: rejected or failed"] += 1
    else:
        why = verdict["reason"] or verdict["class"] or ""
        counts[f"{name}: {verdict['verdict']} {why}".strip()] += 1
for said, count in sorted(counts.items()):
    print(f"{count} x {said}")
