"""Each candidate under four seeds."""

import json
import pathlib

for problem in sorted(pathlib.Path("suite").glob("*.py")):
    for kind in ("honest", "broken"):
        code = pathlib.Path(kind, problem.name).read_text()
        for seed in range(4):
            print(
                json.dumps(
                    {
                        "id": f"{kind} {problem.stem}",
                        "problem": str(problem),
                        "code": code,
                        "seed": f"{seed:064x}",
                    }
                )
            )
