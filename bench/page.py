#!/usr/bin/env python3
"""Measures the page of a large run in Chromium, and writes bench/results/page.json.

Usage: bench/page.py BUILD_FOLDER

Stores of 5,000 and 50,000 attempts are filled (bench/fill_store.cc), half of the 5,000 timed in
full. Of each page: how long it takes to write, how large it is, how long from opening it until the
table of attempts can be used, and how long a letter in its search takes until the rows are there.
Medians of five. Beside it, in the same run, what people have without it: report.json, read with
Python.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import result_file

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "page"))

from browser import Browser

ROUNDS = 5
TYPED = """
  const field = document.getElementById("search");
  const begin = performance.now();
  field.value = arguments[0];
  field.dispatchEvent(new Event("input"));
  document.querySelector(".rows").getBoundingClientRect();
  return performance.now() - begin;
"""


def timed(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def opened(browser: Browser, page: Path) -> float:
    """Milliseconds until the table is there, by the browser's own clock."""
    browser.open(page, "#attempts")
    return float(browser.run("return window.assayReady"))


def measure(
    browser: Browser, build: Path, folder: Path, attempts: int, timed_too: list[str]
) -> dict[str, float]:
    run, page, name = folder / f"run{attempts}", folder / f"{attempts}.html", f"of_{attempts}"
    subprocess.run([build / "bin/fill_store", run, str(attempts), *timed_too], check=True)
    command = [str(build / "bin/assay"), "report", str(run), "--format"]
    writes = [timed([*command, "html", "--to", str(page)]) for _ in range(ROUNDS)]
    found = re.search(r'id="assay-table">([^<]*)', page.read_text())
    figures = {
        f"{name}_written_s": statistics.median(writes),
        f"{name}_mb": page.stat().st_size / 1e6,
        f"{name}_table_mb": len(found[1]) / 1e6 if found else 0.0,
        f"{name}_usable_ms": statistics.median([opened(browser, page) for _ in range(ROUNDS)]),
    }
    letters = [browser.run(TYPED, f"problem_0000{n}") for n in range(ROUNDS)]
    figures[f"{name}_letter_ms"] = statistics.median(letters)
    report = folder / f"{attempts}.json"
    written = timed([*command, "json", "--to", str(report)])
    begin = time.perf_counter()
    json.loads(report.read_text())
    figures[f"{name}_json_s"] = written + time.perf_counter() - begin
    figures[f"{name}_json_mb"] = report.stat().st_size / 1e6
    return figures


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    build = Path(sys.argv[1]).resolve()
    browser = Browser()
    figures: dict[str, float] = {}
    try:
        with tempfile.TemporaryDirectory() as folder:
            figures |= measure(browser, build, Path(folder), 5_000, ["timed"])
            figures |= measure(browser, build, Path(folder), 50_000, [])
    finally:
        browser.quit()
    result_file.write("page", figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
