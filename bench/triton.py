#!/usr/bin/env python3
"""Measures the bundled suite of Triton kernels beside one Python process for each step.

Usage: bench/triton.py BUILD_FOLDER [--few]

    theirs   as geak-eval does: for each answer one process that runs it with its tests, and one
             that imports it and the suite's own kernel and compares, each with Triton's interpreter
    ours     `assay run triton: --by file:answers`, which runs each answer and the suite's kernel
             under four seeds, each in a jail

The answers are those of suites/triton/answers/pass_1.json, which are all right; --few takes six.
Writes bench/results/triton.json. Needs an otherwise idle machine.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import result_file

REPOSITORY = Path(__file__).resolve().parent.parent
SUITE = REPOSITORY / "suites" / "triton"
LINE = "#" * 146
FEW = 6

# geak-eval's second step: both files are imported, and what they leave is compared.
COMPARE = """
import importlib.util, sys, torch
def load(path, name):
    torch.manual_seed(42)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, "result_gold", None) or getattr(module, "test_results", None)
def same(a, b):
    if isinstance(b, dict):
        return same(list(a.values()), list(b.values()))
    if isinstance(b, (list, tuple)):
        return all([same(x, y) for x, y in zip(a, b)])
    return torch.allclose(a, b, atol=1e-3, rtol=1e-3) if isinstance(b, torch.Tensor) else a == b
print(same(load(sys.argv[2], "reference"), load(sys.argv[1], "candidate")))
"""


def code_of(answer: str) -> str:
    blocks = answer.split("```python\n")[1:]
    return "".join(block.split("```")[0] for block in blocks) if blocks else answer


def on_cpu(text: str) -> str:
    return text.replace('"cuda"', '"cpu"')


def theirs(answers: list[dict[str, str]], folder: Path) -> None:
    """Two processes for each answer, as many at once as there are cores."""
    environment = {**os.environ, "TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"}
    (folder / "compare.py").write_text(COMPARE)

    def judge(answer: dict[str, str]) -> None:
        suite = (SUITE / answer["file"]).read_text()
        candidate = folder / f"gen_{answer['file'].replace('/', '_')}"
        reference = folder / f"ref_{answer['file'].replace('/', '_')}"
        candidate.write_text(on_cpu(code_of(answer["predict"]) + suite[suite.index(LINE) :]))
        reference.write_text(on_cpu(suite))
        for command in ([candidate], [folder / "compare.py", candidate, reference]):
            subprocess.run(
                [sys.executable, *map(str, command)],
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(judge, answers))


def ours(build: Path, answers: Path, folder: Path) -> None:
    command = [str(build / "bin" / "assay"), "run", "triton:", "--by", f"file:{answers}"]
    command += ["--out", str(folder / "run"), "--quiet", "--force"]
    status = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    if status not in (0, 1):
        raise SystemExit(f"assay ended with {status}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--few", action="store_true")
    options = parser.parse_args()
    answers = [
        each
        for each in json.loads((SUITE / "answers" / "pass_1.json").read_text())
        if not each["file"].startswith("rocm/")  # these need pytest, which is not installed
    ]
    if options.few:
        answers = answers[:FEW]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "answers.json").write_text(json.dumps(answers))
        begin = time.monotonic()
        ours(options.build, folder / "answers.json", folder)
        middle = time.monotonic()
        theirs(answers, folder)
        end = time.monotonic()
    figures = {
        "answers": len(answers),
        "ours_seconds": middle - begin,
        "theirs_seconds": end - middle,
        "times": (end - middle) / (middle - begin),
    }
    if options.few:
        print(json.dumps(figures))
    else:
        result_file.write("triton", figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
