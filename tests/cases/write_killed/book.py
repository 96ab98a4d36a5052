"""book.py: of each answer that the store has, how often it was asked for so far, by who is asked: a line of `kept`.
book.py --check: whether an answer was asked for once more after it was in the store."""

import json
import sqlite3
import sys
from collections import Counter
from pathlib import Path

asked = Counter(Path("asked").read_text().splitlines()) if Path("asked").exists() else Counter()
if sys.argv[1:] == ["--check"]:
    rounds = [json.loads(line) for line in Path("kept").read_text().splitlines()]
    again = [node for kept in rounds for node, count in kept.items() if asked[node] != count]
    print("asked for again:", again, "| answers that were kept at a kill:", "some" if any(rounds) else "none")
    sys.exit()
kept = {}
store = Path("RUN/assay.sqlite")
if store.exists():
    database = sqlite3.connect(store)
    if database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'node'").fetchone()[0]:
        rows = database.execute("SELECT problem, asked FROM node WHERE answer IS NOT NULL")
        for problem, text in rows:
            node = json.loads(text)
            parents = ",".join(map(str, node["parents"]))
            place = f"attempt {node['attempt']} sample {node['sample']}"
            key = f"{problem.rsplit('/', 1)[0]} {node['step']} of [{parents}] {place}"
            kept[key] = asked[key]
with Path("kept").open("a") as lines:
    print(json.dumps(kept), file=lines)
