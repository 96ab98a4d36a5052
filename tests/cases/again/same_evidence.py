"""Says in what the evidence of a replay differs from that of what it replays, but for times."""

import json
import sys


def verified(run: str) -> dict[str, dict]:
    with open(f"{run}/report.json") as file:
        attempts = json.load(file)["attempts"]
    return {attempt["id"]: attempt for attempt in attempts}


before, now = verified("RUN"), verified(sys.argv[1])
for name, attempt in now.items():
    was, is_ = before[name]["stages"][-1]["evidence"], attempt["stages"][-1]["evidence"]
    for launch in [*was["launches"], *is_["launches"]]:
        del launch["null_window_ns"]
    times = ("calls", "compiling")
    differs = [key for key in was if key not in times and was[key] != is_.get(key)]
    print(name, "differs in", differs or "nothing")
    assert attempt["seed"] == before[name]["seed"]
    assert attempt["fingerprint"] != before[name]["fingerprint"]
