"""An agent that fishes for luck with a kernel that is the baseline itself.

    fish.py TIMES SUBMISSIONS [OPTION...]

It has it timed so often, and submits it as often as it is told: first what came out as fastest.
Exits with 1 where a submission is called faster. The options are the server's.
"""

import asyncio
import sys
from collections import Counter
from pathlib import Path

from client import fields, serving

HERE = Path(__file__).resolve().parent
SAME = (HERE / "problems/chain.py").read_text().replace("class Model(", "class ModelNew(")


async def main(times: int, submissions: int, *options: str) -> int:
    same = {"problem": "problems/chain", "language": "python", "code": SAME}
    words = [str(HERE / "problems"), "--against", "eager", *options]
    async with serving(*words) as client:
        looks = [fields(await client.call_tool("time", same)) for _ in range(times)]
        assert all(each["provisional"] for each in looks), looks
        submitted = [fields(await client.call_tool("submit", same)) for _ in range(submissions)]
        left = fields(await client.call_tool("budget"))
    assert [each["submission"] for each in submitted] == list(range(1, submissions + 1)), submitted
    assert left["submissions"] == submissions, left
    assert not any(each["provisional"] for each in submitted), submitted
    for what, judged in (("time", looks), ("submit", submitted)):
        ratios = [each["speedups"][0]["ratio"] for each in judged if each["speedups"]]
        said = Counter(f"{each['verdict']}, {each['outcome']}" for each in judged)
        print(
            f"{what}: {dict(said)}, ratios from {min(ratios):.3f} to {max(ratios):.3f}",
            file=sys.stderr,
        )
    faster = [each for each in submitted if each["outcome"] == "faster"]
    print(len(faster), "submissions of the baseline itself are faster than it")
    return 1 if faster else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])))
