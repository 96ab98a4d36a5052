"""Reads events from standard input and prints what they have in common from run to run."""

import json
import sys

ATTEMPT = """id workload path suite level author candidate target precision mode verdict reason stage
    class error reproduce reached fingerprint finished artifacts stages""".split()
STAGE = "stage status class error detail wall_ns cpu_ns peak_bytes reused reuse evidence".split()

events = [json.loads(line) for line in sys.stdin]
attempts = [event["attempt"] for event in events if event["event"] == "finished"]
started = [event for event in events if event["event"] == "started"]
planned, done = events[0], events[-1]

for attempt in attempts:
    assert not [name for name in ATTEMPT if name not in attempt], attempt
    for stage in attempt["stages"]:
        assert not [name for name in STAGE if name not in stage], stage
        assert stage["wall_ns"] > 0 and stage["peak_bytes"] > 0, stage
with open(done["report"]) as report:
    assert attempts == sorted(json.load(report)["attempts"], key=attempts.index)

print("planned", planned)
print("started", sorted((e["stage"], e["path"], e.get("targets")) for e in started))
print("finished", sorted(attempt["id"] for attempt in attempts))
print("done", done)
