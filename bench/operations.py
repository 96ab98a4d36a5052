#!/usr/bin/env python3
"""Measures a sweep of `assay run --profile` beside the classic flow of IREE's tools.

Usage: bench/operations.py BUILD_FOLDER [--classic ROWS] [--few]

A hundred small and middle products of matrices in f32, each by four configurations: 400 rows, all
verified and timed.

    theirs   as IREE's dispatch profiler worked: for each row `iree-compile` twice, two rows side by
             side (to verify, and to time, with a repeat count of 100), NumPy's product to .npy,
             `iree-run-module --expected_output`, `iree-benchmark-module` with five repetitions and
             its own minimum time; one row after the other. So many drawn rows (60), of which the
             rate follows
    short    the same with a minimum time as long as assay's windows of a row took
    ours     one `assay run` of all rows

Both get the programs that assay generates, with the same flags and on one core. --few takes a
tenth, and writes no result. ASSAY_PYTHON names the Python beside whose binaries IREE's tools lie.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import result_file

REPOSITORY = Path(__file__).resolve().parent.parent
PLACE = REPOSITORY / "build" / "bench-operations"
SIZES = (32, 64, 96, 128, 160, 192, 256)
PRODUCTS, ROWS_OF_CLASSIC = 100, 60
AUTHORS = (
    "iree",
    "iree@tiles_64x64_8x16x1",
    "iree@tiles_64x64_8x32x1",
    "iree@tiles_64x128_8x32x4",
)
REPEAT_COUNT, REPETITIONS = 100, 5


def products(count: int) -> list[tuple[int, int, int]]:
    every = [(m, n, k) for m in SIZES for n in SIZES for k in SIZES]
    return random.Random(7).sample(every, count)


def run(command: list[str], **more: Any) -> str:
    """What it printed. Fails loudly: a row that goes wrong is no row of a benchmark."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, **more)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def measure_ours(assay: Path, sizes: list[tuple[int, int, int]]) -> dict[str, Any]:
    out = PLACE / "ours"
    shutil.rmtree(out, ignore_errors=True)
    shutil.rmtree(PLACE / "cache", ignore_errors=True)
    each = "|".join(f"({m},{n},{k})" for m, n, k in sizes)
    command = [str(assay), "run", f"op:matmul[(m,n,k)={each}]", "--by", ",".join(AUTHORS)]
    command += ["--profile", "--quiet", "--out", str(out)]
    begin = time.perf_counter()
    run(command, env={**os.environ, "ASSAY_CACHE": str(PLACE / "cache")})
    seconds = time.perf_counter() - begin
    attempts = json.loads((out / "report.json").read_text())["attempts"]
    if len(attempts) != len(sizes) * len(AUTHORS) or any(not each["profile"] for each in attempts):
        raise RuntimeError("ours: not all rows were verified and timed")
    return {"s": seconds, "attempts": attempts, "out": out}


class Classic:
    """The flow of IREE's own tools for some of the attempts."""

    def __init__(self, tools: Path, ours: dict[str, Any], attempts: list[dict[str, Any]]) -> None:
        self._tools, self._out, self._attempts = tools, ours["out"], attempts
        shutil.rmtree(PLACE / "theirs", ignore_errors=True)
        (PLACE / "theirs").mkdir(parents=True)

    def _row(self, n: int) -> Path:
        return PLACE / "theirs" / str(n)

    def _compile(self, n: int) -> None:
        attempt, row = self._attempts[n], self._row(n)
        made = self._out / attempt["id"]
        compiled = next(each for each in attempt["stages"] if each["stage"] == "compile")
        repeat = f"--iree-hal-benchmark-dispatch-repeat-count={REPEAT_COUNT}"
        row.mkdir()
        if (made / "tuning_spec.mlir").exists():  # its flags name it so
            shutil.copy(made / "tuning_spec.mlir", row)
        for name, more in (("verify", []), ("profile", [repeat])):
            command = [str(self._tools / "iree-compile"), str(made / "kernel.mlir")]
            command += [*compiled["evidence"]["flags"], *more, "-o", f"{name}.vmfb"]
            run(command, cwd=row)

    def compile_all(self) -> float:
        begin = time.perf_counter()
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(self._compile, range(len(self._attempts))))
        return time.perf_counter() - begin

    def verify_all(self) -> float:
        """As the profiler: whole numbers, so that results are exact."""
        import numpy

        begin = time.perf_counter()
        for n, attempt in enumerate(self._attempts):
            m, size_n, k = (attempt["operation"]["arguments"][key] for key in "mnk")
            draw = numpy.random.default_rng(42)
            a, b = (
                draw.integers(-7, 8, shape).astype(numpy.float32)
                for shape in ((int(m), int(k)), (int(k), int(size_n)))
            )
            row = self._row(n)
            for name, array in (("a", a), ("b", b), ("c", a @ b)):
                numpy.save(row / f"{name}.npy", array)
            printed = run(
                [
                    str(self._tools / "iree-run-module"),
                    *("--module=verify.vmfb", "--function=main", "--device=local-sync"),
                    *("--input=@a.npy", "--input=@b.npy", "--expected_output=@c.npy"),
                ],
                cwd=row,
            )
            if "[SUCCESS]" not in printed:
                raise RuntimeError(f"theirs: {attempt['id']}: {printed}")
        return time.perf_counter() - begin

    def time_all(self, *options: str) -> tuple[float, list[float]]:
        """Seconds, and of each row how far its repetitions lie apart, by their median."""
        begin, apart = time.perf_counter(), []
        for n in range(len(self._attempts)):
            printed = run(
                [
                    str(self._tools / "iree-benchmark-module"),
                    *("--module=profile.vmfb", "--function=main", "--device=local-sync"),
                    *("--input=@a.npy", "--input=@b.npy", f"--batch_size={REPEAT_COUNT}"),
                    f"--benchmark_repetitions={REPETITIONS}",
                    "--benchmark_format=json",  # its text has three digits, of milliseconds
                    *options,
                ],
                cwd=self._row(n),
            )
            told = json.loads(printed[printed.index("{") :])["benchmarks"]
            times = [each["real_time"] for each in told if each["run_type"] == "iteration"]
            if len(times) != REPETITIONS:
                raise RuntimeError(f"theirs: no times in {printed}")
            apart.append((max(times) - min(times)) / statistics.median(times))
        return time.perf_counter() - begin, apart


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("build", type=Path)
    parser.add_argument("--classic", type=int, default=ROWS_OF_CLASSIC, help="rows of theirs")
    parser.add_argument("--few", action="store_true", help="a tenth; writes no result")
    arguments = parser.parse_args()
    divisor = 10 if arguments.few else 1
    python = os.environ.setdefault("ASSAY_PYTHON", str(REPOSITORY / ".venv/bin/python3"))
    PLACE.mkdir(parents=True, exist_ok=True)
    ours = measure_ours(arguments.build.resolve() / "bin" / "assay", products(PRODUCTS // divisor))
    attempts = ours["attempts"]
    print(f"ours: {len(attempts)} rows in {ours['s']:.1f} s", flush=True)
    # What assay's windows of a row take: the minimum time that is as long.
    windows_s = statistics.median(
        p["windows"] * p["calls"] * p["median_ns"] / 1e9 for p in (a["profile"] for a in attempts)
    )
    drawn = random.Random(11).sample(attempts, arguments.classic // divisor)
    classic = Classic(Path(python).parent, ours, drawn)
    compiling, verifying = classic.compile_all(), classic.verify_all()
    print(f"theirs: {len(drawn)} rows, compiled in {compiling:.1f} s", flush=True)
    timing, apart = classic.time_all()
    short, short_apart = classic.time_all(f"--benchmark_min_time={windows_s / REPETITIONS:.4f}s")
    rate = 60 * len(attempts) / ours["s"]
    whole, cut = (60 * len(drawn) / (compiling + verifying + each) for each in (timing, short))
    own_apart = [
        (p["high_ns"] - p["low_ns"]) / p["median_ns"] for p in (a["profile"] for a in attempts)
    ]
    figures = {
        "operations_rows_per_minute": rate,
        "operations_classic_rows_per_minute": whole,
        "operations_classic_short_rows_per_minute": cut,
        "operations_ratio": rate / whole,
        "operations_short_ratio": rate / cut,
        "operations_windows_ms": windows_s * 1e3,
        "operations_interval_percent": 100 * statistics.median(own_apart),
        "operations_classic_interval_percent": 100 * statistics.median(apart),
        "operations_classic_short_interval_percent": 100 * statistics.median(short_apart),
    }
    if arguments.few:
        print(json.dumps(figures, indent=1))
    else:
        result_file.write("operations", figures, rows=len(attempts), rows_of_theirs=len(drawn))
    return 0


if __name__ == "__main__":
    sys.exit(main())
