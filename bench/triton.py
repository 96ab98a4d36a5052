#!/usr/bin/env python3
"""Measures the bundled suite of Triton kernels beside one Python process for each step.

Usage: bench/triton.py BUILD_FOLDER [--few]

    theirs   as geak-eval does: for each answer one process that runs it with its tests, and one
             that imports it and the suite's own kernel and compares, each by the interpreter;
             of ROCm's format one of pytest, and one that compares what its tests saved with what
             the suite's own kernel left before
    ours     `assay run triton: --by file:answers`, which runs each answer and the suite's kernel
             under four seeds, each in a jail

The answers are those of suites/triton/answers/pass_1.json, which are all right; --few takes six.
Two of them the plain interpreter does not run, which assay's stand-ins mend: theirs is the shorter
for it.
Writes bench/results/triton.json. Needs an otherwise idle machine. pytest is fetched from PyPI into
build/bench-triton/.
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
PYTEST = REPOSITORY / "build" / "bench-triton" / "pytest"
OF_ROCM = "rocm/"
WANTED_TESTS = "not test_performance and not test_save_performance_results"

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
sys.exit(not same(load(sys.argv[2], "reference"), load(sys.argv[1], "candidate")))
"""


# The same of what tests of pytest saved.
COMPARE_SAVED = """
import sys, torch
found, expected = (torch.load(path) for path in sys.argv[1:])
for name, tensor in expected.items():
    torch.testing.assert_close(found[name], tensor, atol=1e-2, rtol=1e-2)
"""


def fetch_pytest() -> None:
    if not PYTEST.is_dir():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(PYTEST)]
        subprocess.run([*command, "--disable-pip-version-check", "pytest"], check=True)


def code_of(answer: str) -> str:
    blocks = answer.split("```python\n")[1:]
    return "".join(block.split("```")[0] for block in blocks) if blocks else answer


def on_cpu(text: str) -> str:
    return text.replace('"cuda"', '"cpu"')


def run(command: list[object], environment: dict[str, str]) -> bool:
    ended = subprocess.run(
        [sys.executable, *map(str, command)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return ended.returncode == 0


def tests_of(path: Path) -> list[object]:
    return ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", WANTED_TESTS, path]


def saved_by(path: Path) -> str:
    return str(path).replace(".", "_") + ".pt"


class Theirs:
    """Two processes for each answer, as many at once as there are cores."""

    def __init__(self, answers: list[dict[str, str]], folder: Path) -> None:
        self.answers, self.folder = answers, folder
        self.environment = {
            **os.environ,
            "TRITON_INTERPRET": "1",
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(PYTEST),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        (folder / "compare.py").write_text(COMPARE)
        (folder / "compare_saved.py").write_text(COMPARE_SAVED)
        for answer in answers:
            suite = (SUITE / answer["file"]).read_text()
            self._path("ref", answer).write_text(on_cpu(suite))
            code = code_of(answer["predict"]) + suite[suite.index(LINE) :]
            self._path("gen", answer).write_text(on_cpu(code))

    def prepare(self) -> None:
        """What the suite's own kernels leave, which is there before anybody's answers."""
        for answer in self.answers:
            if answer["file"].startswith(OF_ROCM):
                run(tests_of(self._path("ref", answer)), self.environment)

    def judge_all(self) -> int:
        """How many are right."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return sum(pool.map(self._judge, self.answers))

    def _judge(self, answer: dict[str, str]) -> bool:
        candidate, reference = self._path("gen", answer), self._path("ref", answer)
        if answer["file"].startswith(OF_ROCM):
            steps = [tests_of(candidate)]
            steps += [[self.folder / "compare_saved.py", saved_by(candidate), saved_by(reference)]]
        else:
            steps = [[candidate], [self.folder / "compare.py", candidate, reference]]
        return all([run(step, self.environment) for step in steps])

    def _path(self, kind: str, answer: dict[str, str]) -> Path:
        return self.folder / f"{kind}_{answer['file'].replace('/', '_')}"


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
    answers = json.loads((SUITE / "answers" / "pass_1.json").read_text())
    if options.few:
        answers = answers[:: len(answers) // FEW][:FEW]  # of each format
    fetch_pytest()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "answers.json").write_text(json.dumps(answers))
        others = Theirs(answers, folder)
        others.prepare()
        begin = time.monotonic()
        ours(options.build, folder / "answers.json", folder)
        middle = time.monotonic()
        right = others.judge_all()
        end = time.monotonic()
    figures = {
        "answers": len(answers),
        "right_by_theirs": right,
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
