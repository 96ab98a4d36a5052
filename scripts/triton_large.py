"""A suite of 200 kernels with tests, some of them odd, judged by an assay that is killed meanwhile.

Each file and each answer has to be one row, the odd ones told for what they are, and the others
right; what was stored before `kill -9` is not judged again.
"""

import ctypes
import json
import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from process_tree import processes_below

FILES = 200
KILLS = 3
SECONDS_TO_KILL = (8.0, 25.0)
SECONDS_TO_GO = 10.0  # for what a killed assay had started
TIMEOUT = "10s"
LINE = "#" * 146
KERNEL = """import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, FACTOR * tl.load(x + i, mask=i < n), mask=i < n)


def scale(x):
    y = torch.empty_like(x)
    scale_kernel[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y

"""
TESTS = """

def test_scale():
    return {"test_case_1": scale(torch.randn(70, device="cuda"))}


"""
GOLD = "result_gold = test_scale()\n"
HANGS = "while True:\n    pass\n"
CRASHES = "import ctypes\nctypes.string_at(0)\n"
PRINTS = "for _ in range(50):\n    print('x' * 2**20)\n"

# Below the kernel of a suite's file -> what is said of it; of all others that they are right.
ODD_FILES = {
    "hangs": (LINE + TESTS + HANGS + GOLD, ("compiled", "takes too long for the suite's own")),
    "crashes": (LINE + TESTS + CRASHES + GOLD, ("failed", "SIGSEGV")),
    "prints": (LINE + TESTS + PRINTS + GOLD, ("failed", "printed more than it may")),
    "no_line": (TESTS + GOLD, ("failed", "there is no line of 146 '#'")),
    "torch": (LINE + TESTS + GOLD, ("compiled", "")),  # named as what is installed
    "numpy": (LINE + TESTS + GOLD, ("compiled", "")),
    "a/same": (LINE + TESTS + GOLD, ("compiled", "")),
    "b/same": (LINE + TESTS + GOLD, ("compiled", "")),
}
# Of answers: what stands in front of the kernel, or in its place.
ODD_ANSWERS = {
    "scale_000": (lambda code: HANGS + code, ("failed", "time")),
    "scale_001": (lambda code: CRASHES + code, ("failed", "SIGSEGV")),
    "scale_002": (lambda code: PRINTS + code, ("failed", "printed more than it may")),
    "scale_003": (lambda code: code.split("    y = ")[0] + "    y = torch.", ("failed", "Syntax")),
    "scale_004": (lambda _: "I can not write this kernel.", ("failed", "")),
    "scale_005": (lambda code: code.replace(" * tl.load", " + tl.load"), ("rejected", "result")),
}


def kernel(number: int) -> str:
    return KERNEL.replace("FACTOR", f"{number + 2}.0")


def write_suite(place: Path) -> None:
    files = {name: kernel(500) + below for name, (below, _) in ODD_FILES.items()}
    for number in range(FILES - len(files)):
        files[f"scale_{number:03}"] = kernel(number) + LINE + TESTS + GOLD
    answers = []
    for name, text in files.items():
        path = place / "suite" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if name.startswith("scale_"):
            code = text.split(LINE)[0]
            change, _ = ODD_ANSWERS.get(name, (str, None))
            answers.append({"file": path.name, "predict": change(code)})
    (place / "answers.json").write_text(json.dumps(answers))


def expected_of(attempt: dict[str, Any]) -> tuple[str, str]:
    """Its verdict, and what stands in the words that say why."""
    name = attempt["workload"]
    if attempt["author"] == "reference":
        level = attempt["level"] or ""
        name = f"{level}/{name}" if name == "same" else name
        return ODD_FILES[name][1] if name in ODD_FILES else ("compiled", "")
    return ODD_ANSWERS[name][1] if name in ODD_ANSWERS else ("compiled", "")


def left_behind() -> list[str]:
    """What a killed assay had started and what lives on, after the time that it needs to go."""
    deadline = time.monotonic() + SECONDS_TO_GO
    while True:
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0] > 0:
                pass
        left = processes_below(os.getpid())
        if not left or time.monotonic() > deadline:
            return list(left.values())
        time.sleep(0.05)


def stored(assay: list[str], run: Path) -> dict[str, Any]:
    report = [*assay, "report", str(run), "--format", "json"]
    said = subprocess.run(report, check=True, stdout=subprocess.PIPE).stdout
    attempts = json.loads(said)["attempts"]
    assert len({each["id"] for each in attempts}) == len(attempts), "two rows of one attempt"
    return {each["id"]: each for each in attempts}


def faults(attempts: dict[str, Any], before: dict[str, Any]) -> list[str]:
    found = []
    for name, each in attempts.items():
        verdict, why = expected_of(each)
        error = each["error"] or each["stages"][-1]["error"] or ""
        if each["verdict"] != verdict or why not in error:
            found.append(f"{name}: {each['verdict']}: {error}, and not {verdict}: {why}")
    wanted = FILES + FILES - len(ODD_FILES)
    if len(attempts) != wanted:
        found.append(f"{len(attempts)} rows instead of {wanted}")
    for name, each in before.items():
        # A file that is none is read again: somebody may have mended it.
        if each["workload"] != "no_line" and attempts.get(name) != each:
            found.append(f"{name} was stored before a kill, and is another row now")
    return found


def large_suite_holds(assay: list[str], place: Path) -> bool:
    """Judges all of it, killed KILLS times; prints what is not as it has to be."""
    pr_set_child_subreaper = 36
    ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0)
    shutil.rmtree(place, ignore_errors=True)
    write_suite(place)
    run = place / "run"
    command = [*assay, "run", f"triton:{place / 'suite'}"]
    command += ["--by", f"reference,file:{place / 'answers.json'}", "--out", str(run)]
    command += ["--timeout", TIMEOUT, "--quiet"]
    before: dict[str, Any] = {}
    found: list[str] = []
    for number in range(KILLS):
        process = subprocess.Popen(command)
        with suppress(subprocess.TimeoutExpired):
            process.wait(random.Random(number).uniform(*SECONDS_TO_KILL))
        process.send_signal(signal.SIGKILL)
        process.wait()
        found += [f"it lives on after a kill: {each}" for each in left_behind()]
        before |= stored(assay, run)
    begin = time.monotonic()
    status = subprocess.run(command).returncode
    attempts = stored(assay, run)
    found += faults(attempts, before)
    if status != 1:
        found.append(f"the run ended with {status}, and some of it has to fail")
    for each in found:
        print(f"a suite of {FILES}: {each}")
    print(
        f"a suite of {FILES}, killed {KILLS} times: {len(attempts)} rows, {len(before)} of them "
        f"before the last kill; the others took {time.monotonic() - begin:.0f} s"
    )
    return not found
