"""Reads events from standard input and prints what they have in common from run to run."""

import json
import sys

ATTEMPT = """id workload suite level author candidate target precision mode verdict outcome reason
    stage class error reproduce reached artifacts stages""".split()
STAGE = "stage status class error wall_ns cpu_ns peak_bytes reused".split()

events = [json.loads(line) for line in sys.stdin]
for event in events:
    kind = event.pop("event")
    if kind == "finished":
        attempt = event["attempt"]
        missing = [name for name in ATTEMPT if name not in attempt]
        missing += [name for stage in attempt["stages"] for name in STAGE if name not in stage]
        assert not missing, missing
        assert all(stage["wall_ns"] > 0 for stage in attempt["stages"])

assert [sorted(event) for event in (events[0], events[-1])] == [
    ["attempts", "reused", "schema"],
    ["exit_status", "report", "summary"],
]
print(events[0])
print(*sorted(event["attempt"]["id"] for event in events if "attempt" in event))
print(*sorted(f"{event['stage']} {event['path'].rpartition('/')[2]}" for event in events
              if "stage" in event), sep=", ")
print({name: value for name, value in events[-1].items() if name != "report"})
with open(events[-1]["report"]) as report:
    by_id = {attempt["id"]: attempt for attempt in json.load(report)["attempts"]}
for event in events:
    if "attempt" in event:
        assert by_id[event["attempt"]["id"]] == event["attempt"], event["attempt"]["id"]
