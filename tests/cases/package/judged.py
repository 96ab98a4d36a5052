"""All that the package promises, with one judge as far as that goes."""

import asyncio
import math
import os
import signal
import sys
import time
from pathlib import Path

import assay
from assay import Request

HONEST, WRONG, HANGS = Path("honest.c"), Path("wrong.py"), Path("hangs.py")
VERIFIED = Request("gelu.py", HONEST, time=False)
LONG = Request("gelu.py", HANGS, timeout=240)


def said(verdict: assay.Verdict | assay.Error) -> str:
    if isinstance(verdict, assay.Error):
        return f"error: {verdict.message.partition(' in position')[0]}"
    return f"{verdict.outcome} {verdict.fault} {verdict.why.partition(':')[0]}".rstrip()


def many(judge: assay.Judge) -> None:
    print("# many, of which some are no requests")
    source = Path("gelu.py").read_text()
    answer = f"Here it is:\n```c\n{HONEST.read_text()}```\n"
    for verdict in judge.map(
        [
            VERIFIED,
            Request("lost.py", HONEST),
            Request(Path("gelu.py"), WRONG),
            Request("gelu.py", Path("missing.c")),
            Request(source, HANGS, timeout=2),
            Request("gelu.py", "x", language="perl"),
            Request("gelu.py", "\ud800"),
            Request("gelu.py"),
            Request("gelu.py", HONEST, timeout=1000),
            Request(source, answer=answer, time=False),
        ]
    ):
        print(said(verdict))
    broken = judge.grade("gelu.py", "int assay_kernel(", language="c")
    print(said(broken))
    assert "error:" in broken.detail and broken.reward(failed=-1) == -1, broken


def timed(judge: assay.Judge) -> None:
    verdict = judge.grade("gelu.py", HONEST)
    assert verdict.ok and verdict.provisional, verdict
    assert verdict.speedup_low and verdict.reward() > 0.3, verdict
    assert verdict.outcome in ("faster", "equal", "slower", "undecided"), verdict


def rewarded(judge: assay.Judge) -> None:
    """By the example for GRPO, in both of trl's formats."""
    sys.path.insert(0, os.environ["EXAMPLES"])
    from reward import kernel_reward, mean_of_group

    right = f"A kernel:\n```c\n{HONEST.read_text()}```\n"
    wrong = [{"role": "assistant", "content": f"```python\n{WRONG.read_text()}```\n"}]
    rewards = kernel_reward(judge)(["a kernel"] * 3, [right, wrong, "No."], problem=["gelu.py"] * 3)
    assert rewards[0] > 0.3 and rewards[1:] == [0, 0], rewards
    assert mean_of_group("a", ["a", "b", "a"], [math.nan, 9.0, 1.0]) == 1.0


def cancelled(judge: assay.Judge) -> None:
    print("# what hangs for minutes is cancelled, and another has its place")
    pending = [judge.submit(LONG) for _ in range(2)]
    behind = judge.submit(VERIFIED)
    time.sleep(1)  # they are at work
    began = time.monotonic()
    print([each.cancel() for each in pending], said(behind.result()))
    assert time.monotonic() - began < 60


async def in_asyncio(judge: assay.Judge) -> None:
    print("# asyncio")
    wrong = Request("gelu.py", WRONG)
    print([said(each) for each in await asyncio.gather(*map(judge.submit, [VERIFIED, wrong]))])
    try:
        await asyncio.wait_for(judge.submit(LONG), 1)
    except (TimeoutError, asyncio.TimeoutError):
        print("timed out")


def killed(judge: assay.Judge) -> None:
    print("# the resident process is killed")
    pending = judge.submit(LONG)
    time.sleep(0.5)
    assert judge.pid
    os.kill(judge.pid, signal.SIGKILL)
    print(pending.exception())
    print(said(judge.grade("gelu.py", HONEST, time=False)))


def abandoned() -> None:
    print("# an exception cancels what is open")
    began = time.monotonic()
    pending = []
    try:
        with assay.Judge(timeout=300) as judge:
            pending.append(judge.submit(LONG))
            raise KeyError("of the caller's")
    except KeyError:
        print(pending[0].cancelled())
    assert time.monotonic() - began < 60


def told() -> None:
    print("# errors of who asks")
    judge = assay.Judge(against="nobody")
    for ask in (
        lambda: judge.submit(VERIFIED),
        lambda: assay.Judge(assay="no-assay").__enter__(),
        lambda: judge.__enter__().grade("gelu.py", HONEST),
    ):
        try:
            ask()
        except assay.Error as error:
            print(error)
    judge.__exit__(None, None, None)


with assay.Judge(against="eager", quick=True, budget=1, jobs=2, timeout=300) as judge:
    many(judge)
    timed(judge)
    rewarded(judge)
    cancelled(judge)
    asyncio.run(in_asyncio(judge))
    killed(judge)
    left = judge.submit(VERIFIED)
print(said(left.result()))
abandoned()
told()
assert "torch" not in sys.modules
