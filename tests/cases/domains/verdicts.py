"""How each candidate fared under all seeds."""

import collections
import json
import sys

found = collections.Counter()
for line in sys.stdin:
    verdict = json.loads(line)
    rule = f" {verdict['reason']}" if verdict.get("reason") else ""
    found[verdict["id"], verdict["verdict"] + rule] += 1
for (candidate, verdict), count in sorted(found.items()):
    print(f"{candidate}: {verdict}, {count} times")
