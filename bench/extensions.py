#!/usr/bin/env python3
"""Measures candidates with C++ extensions among others, and writes bench/results/extensions.json.

Usage: bench/extensions.py BUILD_FOLDER

Forty small candidates in Python and ten with an extension by `load_inline`, each another one, two
at a time on either side, beside bench/fresh_process.py, a process for each:

    first      neither has any of the extensions; assay has its precompiled header, which is made
               once on a machine, and measured apart
    built      assay has built them before, in another run, and the other side has to
    again      both have

Medians of three rounds. A round takes five minutes.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import result_file
from verify import AT_ONCE, CORPUS, choose, with_fresh_processes

PLAIN, WITH_EXTENSION = 40, 10
ROUNDS = 3


def add_extensions(
    folder: Path, pairs: list[tuple[Path, Path]], round_number: int, count: int = WITH_EXTENSION
) -> None:
    """Those of the corpus, under other names and with another constant each: none is built yet."""
    sources = sorted((CORPUS / "honest").glob("ext_*"))
    for n in range(count):
        source = sources[n % len(sources)]
        expect = (source / "expect.toml").read_text()
        problem = expect.split('problem = "', 1)[1].split('"', 1)[0]
        name = f"ext_{n}"
        text = (source / "candidate.py").read_text()
        text = text.replace('load_inline("', f'load_inline("r{round_number}_{n}_')
        text = text.replace('SOURCE = """', f'SOURCE = """\nint number() {{ return {n}; }}\n')
        pair = folder / "problems" / f"{name}.py", folder / "candidates" / f"{name}.py"
        shutil.copy(CORPUS / "problems" / f"{problem}.py", pair[0])
        pair[1].write_text(text)
        pairs.append(pair)


def with_assay(
    assay: Path, problems: Path, candidates: Path, out: Path, cache: Path, *options: str
) -> float:
    """Seconds, everything included. All candidates are honest: all have to be accepted."""
    command = [str(assay), "run", str(problems), "--by", f"file:{candidates}", "--on", "local"]
    command += ["--jobs", str(AT_ONCE), "--quiet", "--out", str(out), *options]
    begin = time.perf_counter()
    subprocess.run(command, check=True, env={**os.environ, "ASSAY_CACHE": str(cache)})
    return time.perf_counter() - begin


def header_seconds(out: Path) -> float:
    """Of the attempt that had the header made."""
    attempts = json.loads((out / "report.json").read_text())["attempts"]
    extensions = [
        each
        for attempt in attempts
        for stage in attempt["stages"]
        for each in (stage["evidence"] or {}).get("extensions", [])
    ]
    return sum(each.get("header_wall_ns", 0) for each in extensions) / 1e9


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    assay = Path(sys.argv[1]).resolve() / "bin" / "assay"
    repository = Path(__file__).resolve().parents[1]
    os.environ.setdefault("ASSAY_PYTHON", str(repository / ".venv/bin/python3"))
    first, built, theirs_first, theirs_again = [], [], [], []
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        cache = scratch / "cache"
        # The header, by a candidate that is none of those that are measured.
        warm = scratch / "warm"
        (warm / "problems").mkdir(parents=True)
        (warm / "candidates").mkdir()
        add_extensions(warm, [], 99)
        problem, candidate = (warm / kind / "ext_0.py" for kind in ("problems", "candidates"))
        with_assay(assay, problem, candidate, warm / "run", cache)
        header_s = header_seconds(warm / "run")
        for n in range(ROUNDS):
            folder = scratch / str(n)
            folder.mkdir()
            pairs = choose(folder, PLAIN)
            add_extensions(folder, pairs, n)
            ours = folder / "problems", folder / "candidates"
            first.append(with_assay(assay, *ours, folder / "first", cache))
            built.append(with_assay(assay, *ours, folder / "built", cache))
            os.environ["TORCH_EXTENSIONS_DIR"] = str(folder / "extensions")
            theirs_first.append(with_fresh_processes(pairs))
            theirs_again.append(with_fresh_processes(pairs))
    median = statistics.median
    result_file.write(
        "extensions",
        {
            "extensions_header_s": header_s,
            "extensions_first_s": median(first),
            "extensions_built_s": median(built),
            "extensions_fresh_process_first_s": median(theirs_first),
            "extensions_fresh_process_again_s": median(theirs_again),
            "extensions_first_ratio": median(theirs_first) / median(first),
            "extensions_built_ratio": median(theirs_first) / median(built),
            "extensions_again_ratio": median(theirs_again) / median(built),
        },
        candidates=PLAIN + WITH_EXTENSION,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
