"""Says of each attempt at which sizes it was called, and in how many chunks."""

import json
import sys

with open(sys.argv[1]) as report:
    for attempt in json.load(report)["attempts"]:
        stage = attempt["stages"][-1]
        for launch in stage["evidence"]["launches"]:
            size = "full" if launch["size"] == "full" else "smaller"
            how = f"{launch['chunks']} chunks" if "chunks" in launch else launch.get("at_once", "")
            line = f"{attempt['workload']}: {size}, {how or 'small'}"
            print(line)
