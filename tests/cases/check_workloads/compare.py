"""compare.py FOUND: whether each problem below flaws/ was found to have the flaw its folder names."""

import json
import sys
from pathlib import Path

TOLD_ALONE = ("slices", "weight")  # worth knowing; the problem proves something all the same

found = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
files = sorted(str(path.resolve()) for path in Path("flaws").glob("*/*.py"))
wrong = [] if [each["path"] for each in found] == files else ["not all were looked at, in order"]
for each in found:
    wanted = each["workload"].split("/")[1]
    flags = sorted({finding["word"] for finding in each["findings"] if finding["flags"]})
    told = sorted({finding["word"] for finding in each["findings"] if not finding["flags"]})
    if wanted in TOLD_ALONE:
        right = each["outcome"] == "ok" and told == [wanted]
    elif wanted in ("none", "failed"):
        right = each["outcome"] == {"none": "ok"}.get(wanted, wanted) and not flags
    else:
        right = each["outcome"] == "flagged" and flags == [wanted]
    if not right:
        wrong.append(json.dumps(each))
print("\n".join(wrong) if wrong else "as expected: all")
sys.exit(bool(wrong))
