"""What assay itself does on the card that is here: rows of JSON, for scripts/prove-gpu.

with_assay.py corpora SECONDS    verifies the corpora's entries in Python, as far as time goes
with_assay.py same SECONDS       compares programs that are the same, and ones with 5 % more work
with_assay.py rate SECONDS       how long candidates take, beside KernelBench's own way

$ASSAY is the program, build/pack/bin/assay unless it says otherwise; $TARGET what they run on.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tomllib

REPOSITORY = Path(__file__).resolve().parents[2]
CORPORA = REPOSITORY / "tests" / "corpus"
ASSAY = os.environ.get("ASSAY", str(REPOSITORY / "build" / "pack" / "bin" / "assay"))
TARGET = os.environ.get("TARGET", "cuda")
AT_ONCE = max(1, min(14, (os.cpu_count() or 2) - 2))


def row(what: str, /, **values: Any) -> None:
    print(json.dumps({"row": what, **values}), flush=True)


def run(arguments: list[str], out: Path, seconds: float) -> tuple[list[dict[str, Any]], float]:
    """The attempts that there were in time, and how long it took."""
    begin = time.monotonic()
    command = [ASSAY, "run", *arguments, "--on", TARGET, "--out", str(out), "--quiet"]
    try:
        done = subprocess.run(command, timeout=seconds, capture_output=True, text=True, check=False)
        if done.returncode > 1:
            row("said", text=(done.stdout + done.stderr)[-1500:])
    except subprocess.TimeoutExpired:
        row("stopped", seconds=seconds)
    took = time.monotonic() - begin
    said = subprocess.run(
        [ASSAY, "report", str(out), "--format", "json"], capture_output=True, text=True, check=False
    )
    return (json.loads(said.stdout)["attempts"] if said.returncode == 0 else []), took


def entries() -> Iterator[tuple[str, Path, Path, dict[str, Any]]]:
    """Of the corpora, what is a module in Python: kind, problem, candidate, expectation."""
    for kind in ("broken", "honest", "attacks"):
        for folder in sorted((CORPORA / kind).iterdir()):
            candidate = folder / ("attack.py" if kind == "attacks" else "candidate.py")
            if not candidate.exists():
                continue
            expected = tomllib.loads((folder / "expect.toml").read_text())
            own = folder / "problem.py"
            problem = own if own.exists() else CORPORA / "problems" / f"{expected['problem']}.py"
            if not expected.get("lint"):
                yield kind, problem, candidate, expected


def corpora(folder: Path, seconds: float) -> None:
    problems, candidates = folder / "problems", folder / "candidates"
    problems.mkdir()
    candidates.mkdir()
    known: dict[tuple[str, int], tuple[str, str, str]] = {}
    counts: Counter[str] = Counter()
    for kind, problem, candidate, expected in entries():
        own = problem.parent == candidate.parent
        name = f"own_{candidate.parent.name}" if own else problem.stem
        counts[name] += 1
        number = counts[name]
        (problems / f"{name}.py").write_bytes(problem.read_bytes())
        behind = "" if number == 1 else f"__s{number}"
        (candidates / f"{name}{behind}.py").write_bytes(candidate.read_bytes())
        known[name, number] = (kind, candidate.parent.name, expected["verdict"])
    given = [str(problems), "--by", f"file:{candidates}", "--jobs", str(AT_ONCE)]
    attempts, took = run(given, folder / "run", seconds)
    as_expected = 0
    verdicts: Counter[str] = Counter()
    for attempt in attempts:
        kind, name, wanted = known[attempt["workload"], attempt["candidate"]]
        got = attempt["verdict"]
        # How a broken one is found out may be another rule on a card, or a crash.
        is_as_expected = got == wanted or (kind != "honest" and got in ("rejected", "failed"))
        as_expected += is_as_expected
        verdicts[f"{kind} {got}"] += 1
        if not is_as_expected:
            row("other", kind=kind, name=name, wanted=wanted, got=got, why=attempt["reason"])
    row(
        "corpora",
        entries=len(known),
        judged=len(attempts),
        as_expected=as_expected,
        seconds=round(took, 1),
        at_once=AT_ONCE,
        verdicts=dict(sorted(verdicts.items())),
    )


PRODUCT = """import torch
from torch import nn

N = {rows}


class {name}(nn.Module):
    def forward(self, a, b):
        more = {more}
        if more:
            torch.mm(a[:more], b)
        return torch.mm(a, b)


def get_inputs():
    return [torch.rand(N, {inner}) - 0.5, torch.rand({inner}, {inner}) - 0.5]


def get_init_inputs():
    return []
"""
# Rows and inner sizes of products in f32, of about 1 ms and of several.
SIZES = {"1 ms": (4096, 2048), "5 ms": (8192, 4096)}


def same(folder: Path, seconds: float) -> None:
    begin = time.monotonic()

    def left() -> float:
        return seconds - (time.monotonic() - begin)

    round_number = 0
    while left() > 20:
        for size, (rows, inner) in SIZES.items():
            place = folder / f"{size.replace(' ', '')}_{round_number}"
            for part in ("problems", "it", "other"):
                (place / part).mkdir(parents=True)
            write = {"rows": rows, "inner": inner}
            (place / "problems" / "product.py").write_text(
                PRODUCT.format(name="Model", more=0, **write)
            )
            (place / "other" / "product.py").write_text(
                PRODUCT.format(name="ModelNew", more=0, **write)
            )
            for number, more in ((1, 0), (2, rows // 20)):
                behind = "" if number == 1 else f"__s{number}"
                (place / "it" / f"product{behind}.py").write_text(
                    PRODUCT.format(name="ModelNew", more=more, **write)
                )
            given = [str(place / "problems"), "--by", f"file:{place / 'it'}"]
            given += ["--against", f"file:{place / 'other'}", "--budget", "20s"]
            attempts, took = run(given, place / "run", max(left(), 1))
            for attempt in attempts:
                timing = attempt.get("timing") or {}
                measured: dict[str, Any] = next(
                    (s["evidence"] for s in attempt["stages"] if s["stage"] == "measure"), {}
                )
                row(
                    "compared",
                    size=size,
                    more_work=0.0 if attempt["candidate"] == 1 else 0.05,
                    verdict=attempt["verdict"],
                    reason=attempt["reason"],
                    measured=(measured or {}).get("measured"),
                    wall=timing.get("wall"),
                    speedups=timing.get("speedups"),
                )
            row("round", size=size, seconds=round(took, 1))
        round_number += 1


KERNELBENCH = """import sys, time, torch
sys.path.insert(0, {folder!r})
import importlib
problem, candidate = importlib.import_module("problem"), importlib.import_module("candidate")
device = {device!r}
synchronize = torch.cuda.synchronize if device == "cuda" else lambda: None
for trial in range(5):
    torch.manual_seed(trial)
    inputs = [each.to(device) for each in problem.get_inputs()]
    torch.manual_seed(trial)
    model = problem.Model(*problem.get_init_inputs()).to(device)
    torch.manual_seed(trial)
    new = candidate.ModelNew(*problem.get_init_inputs()).to(device)
    with torch.no_grad():
        assert torch.allclose(model(*inputs), new(*inputs), atol=1e-2, rtol=1e-2)
with torch.no_grad():
    for timed in (new, model):
        for _ in range(3):
            timed(*inputs)
        for _ in range(100):
            begin = time.perf_counter()
            timed(*inputs)
            synchronize()
"""


def rate(folder: Path, seconds: float) -> None:
    """Verified and timed candidates a minute."""
    chosen = [
        (problem, candidate)
        for kind, problem, candidate, expected in entries()
        if kind == "honest" and "ext_" not in candidate.parent.name
    ][:12]
    begin = time.monotonic()
    done = 0
    device = "cpu" if TARGET == "local" else "cuda"
    for number, (problem, candidate) in enumerate(chosen):
        place = folder / f"alone_{number}"
        place.mkdir()
        (place / "problem.py").write_bytes(problem.read_bytes())
        (place / "candidate.py").write_bytes(candidate.read_bytes())
        script = KERNELBENCH.format(folder=str(place), device=device)
        try:
            ended = subprocess.run(
                [sys.executable, "-c", script], capture_output=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            continue
        done += ended.returncode == 0
    alone = time.monotonic() - begin
    problems, candidates = folder / "problems", folder / "candidates"
    problems.mkdir()
    candidates.mkdir()
    for problem, candidate in chosen:
        name = candidate.parent.name
        (problems / f"{name}.py").write_bytes(problem.read_bytes())
        (candidates / f"{name}.py").write_bytes(candidate.read_bytes())
    given = [str(problems), "--by", f"file:{candidates}", "--against", "eager", "--quick"]
    attempts, took = run(given, folder / "run", seconds)
    accepted = sum(attempt["verdict"] == "accepted" for attempt in attempts)
    row(
        "rate",
        candidates=len(chosen),
        a_process_each_s=round(alone, 1),
        of_these_right=done,
        assay_s=round(took, 1),
        of_these_accepted=accepted,
        times_as_many=round(alone / took, 2),
    )
    if accepted < done:  # a verdict that is missing, or that is none, is no candidate judged
        sys.exit(f"with_assay: error: {accepted} of {done} right candidates were accepted")


def main() -> int:
    what, seconds = sys.argv[1], float(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        {"corpora": corpora, "same": same, "rate": rate}[what](Path(folder), seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
