#!/usr/bin/env python3
"""Measures how many candidates are verified per minute, and writes bench/results/verify.json.

Usage: bench/verify.py BUILD_FOLDER

Fifty small candidates in Python (tests/corpus/honest), two at a time on either side:

    assay          its oracle, three launches, and a dozen families of inputs for each
    fresh process  bench/fresh_process.py, started once for each: imports torch, five trials

Also the time from a native candidate to its verdict, building included; what a window costs at each
level of isolation (bench/window_bench.cc); and how fast results are compared and products checked
(bench/verify_bench.cc). Medians of five rounds.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import result_file

REPOSITORY = Path(__file__).resolve().parents[1]
CORPUS = REPOSITORY / "tests" / "corpus"
CANDIDATES = 50
ROUNDS = 5
AT_ONCE = 2
# A seed in some tens refuses it (docs/trust.md): no round is to end by that.
UNSTEADY = "mean_by_product"

sys.path.insert(0, str(CORPUS))


def choose(folder: Path, count: int = CANDIDATES) -> list[tuple[Path, Path]]:
    """Copies candidates with their problems; one may come twice under another name."""
    from harness.entries import folders, read

    entries = [read(each) for each in folders() if each.parent.name == "honest"]
    plain = [
        each
        for each in entries
        if not each.native
        and not each.has_extension
        and each.threads == 1
        and each.name != UNSTEADY
    ]
    pairs = []
    for kind in ("problems", "candidates"):
        (folder / kind).mkdir()
    for n in range(count):
        entry = plain[n % len(plain)]
        name = f"{entry.name}_{n // len(plain)}"
        problem, candidate = (
            folder / "problems" / f"{name}.py",
            folder / "candidates" / f"{name}.py",
        )
        shutil.copy(entry.problem, problem)
        shutil.copy(entry.candidate, candidate)
        pairs.append((problem, candidate))
    return pairs


def with_assay(assay: Path, folder: Path) -> float:
    """Seconds, everything included: the start, and importing torch."""
    out = folder / "run"
    shutil.rmtree(out, ignore_errors=True)
    command = [str(assay), "run", str(folder / "problems"), "--by", f"file:{folder / 'candidates'}"]
    command += ["--on", "local", "--jobs", str(AT_ONCE), "--quiet", "--out", str(out)]
    begin = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - begin


def with_fresh_processes(
    pairs: list[tuple[Path, Path]], at_once: int = AT_ONCE, *options: str
) -> float:
    script = str(Path(__file__).with_name("fresh_process.py"))

    def check(pair: tuple[Path, Path]) -> None:
        command = [os.environ["ASSAY_PYTHON"], script, str(pair[0]), str(pair[1]), *options]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)

    begin = time.perf_counter()
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(check, pairs))
    return time.perf_counter() - begin


def native_seconds(assay: Path, folder: Path, *options: str) -> float:
    """A C kernel, from its file to its verdict, as the stages record it: building included.

    The second of two that are alike: the first has to wait until torch is imported.
    """
    out, candidates = folder / "native", folder / "native-candidates"
    shutil.rmtree(out, ignore_errors=True)
    candidates.mkdir(exist_ok=True)
    for name in ("relu__s1.c", "relu__s2.c"):
        shutil.copy(CORPUS / "honest" / "c_relu" / "candidate.c", candidates / name)
    command = [str(assay), "run", str(CORPUS / "problems" / "relu.py"), "--jobs", "1"]
    command += ["--by", f"file:{candidates}", "--on", "local"]
    subprocess.run([*command, "--quiet", "--out", str(out), *options], check=True)
    attempts = json.loads((out / "report.json").read_text())["attempts"]
    second = next(each for each in attempts if each["candidate"] == 2)
    assert second["verdict"] == "accepted", second
    return sum(stage["wall_ns"] or 0 for stage in second["stages"]) / 1e9


def windows(build: Path) -> dict[str, float]:
    """What a window costs in which nothing is done, and how long until a native runner is ready."""
    figures: dict[str, float] = {}
    command = [str(build / "bin" / "window_bench")]
    for line in subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.splitlines():
        level = json.loads(line)
        if "error" in level:
            print(f"{level['level']}: {level['error']}", file=sys.stderr)
            continue
        for name in ("null_window_us", "ready_ms"):
            figures[f"{level['level'].lower()}_{name}"] = level[name]
    return figures


def arithmetic(build: Path) -> dict[str, float]:
    """Bytes read per second by comparing, on one core, and the time to check a product of 4096."""
    command = [str(build / "bench" / "verify_bench"), "--benchmark_format=json"]
    command.append("--benchmark_filter=compare|check_product/f32_nn")
    rows = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["benchmarks"]
    figures: dict[str, float] = {}
    for row in rows:
        name = row["name"].removesuffix("/real_time").split("/")
        if name[0] == "compare_outputs":
            figures[f"compare_{name[1]}_gb_per_s"] = row["bytes_per_second"] / 1e9
        else:
            figures[f"check_product_{name[2]}_{name[3]}_threads_ms"] = row["real_time"]
    return figures


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    build = Path(sys.argv[1]).resolve()
    assay = build / "bin" / "assay"
    os.environ.setdefault("ASSAY_PYTHON", str(REPOSITORY / ".venv/bin/python3"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pairs = choose(folder)
        ours, theirs = [], []
        for _ in range(ROUNDS):  # in turns: the machine changes
            ours.append(with_assay(assay, folder))
            theirs.append(with_fresh_processes(pairs))
        native = [native_seconds(assay, folder) for _ in range(ROUNDS)]
    assay_s, fresh_s = statistics.median(ours), statistics.median(theirs)
    figures = {
        "verify_assay_s": assay_s,
        "verify_fresh_process_s": fresh_s,
        "verify_assay_per_minute": 60 * CANDIDATES / assay_s,
        "verify_fresh_process_per_minute": 60 * CANDIDATES / fresh_s,
        "verify_ratio": fresh_s / assay_s,
        "native_verdict_s": statistics.median(native),
        **windows(build),
        **arithmetic(build),
    }
    result_file.write("verify", figures, candidates=CANDIDATES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
