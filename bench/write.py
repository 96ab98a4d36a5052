#!/usr/bin/env python3
"""Measures `assay write` beside a process for each sample, and writes bench/results/write.json.

Usage: bench/write.py BUILD_FOLDER [--few] [--again]

Twenty small problems, three attempts of three samples: 180 different answers, of a model that takes
two seconds over each. Of ten problems they use load_inline, of ten plain Python; a third does not
build, a third is wrong, a third is right. Both sides get the same answers, and make all attempts.

    theirs   as HipKittens' runner of KernelBench: an attempt's samples are asked for at once, then
             bench/one_sample.py is started for each, one after the other; the extensions' cache is
             emptied before each attempt
    ours     `assay write` with a `command:` that answers, and --quick
    in C     the ten problems of load_inline, with the same kernels in C; beside theirs of these

    overhead what `assay write` adds to `assay run` for each candidate, where answers are recorded;
             and what an answer takes that has no code, and so nothing to judge

Theirs is measured of six problems, which takes half an hour, and taken as long for each of the
others: what differs in them is two numbers. What was measured stays in build/bench-write/: the same
command goes on from there, and --again forgets it. --few takes four problems, and writes no result.
It says how busy the machine was with other things.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import mean, median
from typing import Any

import result_file
from write_model import SECONDS as SECONDS_TO_ANSWER

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
PLACE = REPOSITORY / "build" / "bench-write"
ATTEMPTS, SAMPLES = 3, 3
PROBLEMS, FEW, THEIRS = 20, 4, 6  # half of them answered with load_inline
OUT_OF_REACH = "1000x"  # all attempts are made

PROBLEM = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x * {factor}) + {term}


def get_inputs():
    return [torch.randn(256, 1024)]
"""
PYTHON = """import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y_{mark} = torch.empty_like(x)
        torch.mul(x, {factor}, out=y_{mark})
        return y_{mark}.clamp_{clamp}(min=0).add_({term})
"""
INLINE = """import torch
from torch.utils.cpp_extension import load_inline

SOURCE = '''
#include <torch/extension.h>

torch::Tensor forward_{mark}(torch::Tensor x) {{
  auto y = torch::empty_like(x);
  const float* from = x.data_ptr<float>();
  float* to = y.data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i) {{
    const float value = from[i] * {factor}f;
    to[i] = (value < 0 ? 0 : value) + {term}f{end}
  }}
  return y;
}}
'''
extension = load_inline("made_{mark}", SOURCE, functions=["forward_{mark}"])


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return extension.forward_{mark}(x)
"""
C = """#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {{
  const float* from = call->inputs[0].data;
  float* to = call->outputs[0].data;
  const int64_t count_{mark} = call->inputs[0].shape[0] * call->inputs[0].shape[1];
  for (int64_t i = 0; i < count_{mark}; ++i) {{
    const float value = from[i] * {factor}f;
    to[i] = (value < 0 ? 0 : value) + {term}f{end}
  }}
  return 0;
}}
"""


def names(count: int) -> list[str]:
    return [f"p{n:02}" for n in range(count)]


def uses_extension(name: str) -> bool:
    return int(name[1:]) % 2 == 0


def write_all(count: int) -> None:
    """Problems; answers as a model gives them, and as code alone; and the same kernels in C."""
    for folder in ("problems", "extensions", "python", "answers", "answers-c", "code"):
        shutil.rmtree(PLACE / folder, ignore_errors=True)
        (PLACE / folder).mkdir(parents=True)
    for name in names(count):
        n = int(name[1:])
        values = {"factor": f"{1 + n / 8}", "term": f"{n + 1}.0"}
        (PLACE / "problems" / f"{name}.py").write_text(PROBLEM.format(**values))
        for attempt in range(1, ATTEMPTS + 1):
            for sample in range(1, SAMPLES + 1):
                # Which of three it is goes round: each attempt has one of each.
                kind = ("does not build", "wrong", "right")[(n + attempt + sample) % 3]
                broken = kind == "does not build"
                mark = f"{name}_{attempt}_{sample}"
                each = dict(values, mark=mark, end="" if broken else ";")
                each["clamp"] = "_(" if broken else ""
                if kind == "wrong":
                    each["term"] = f"{n + 1000}.0"
                template = INLINE if uses_extension(name) else PYTHON
                code = template.format(**each)
                (PLACE / "code" / f"{mark}.py").write_text(code)
                (PLACE / "answers" / f"{mark}.md").write_text(f"So:\n\n```python\n{code}```\n")
                code = C.format(**each)
                (PLACE / "answers-c" / f"{mark}.md").write_text(f"So:\n\n```c\n{code}```\n")


# --- theirs ---


def their_attempt(python: str, name: str, attempt: int, extensions: Path) -> list[int]:
    """Exit statuses of its samples."""
    time.sleep(SECONDS_TO_ANSWER)  # all samples are asked for at once
    shutil.rmtree(extensions, ignore_errors=True)
    environment = {**os.environ, "TORCH_EXTENSIONS_DIR": str(extensions)}
    environment["PATH"] = f"{Path(python).parent}:{environment['PATH']}"  # ninja's
    statuses = []
    for sample in range(1, SAMPLES + 1):
        command = [python, str(HERE / "one_sample.py"), str(PLACE / "problems" / f"{name}.py")]
        command += [
            str(PLACE / "code" / f"{name}_{attempt}_{sample}.py"),
            str(PLACE / "result.json"),
        ]
        done = subprocess.run(command, check=False, capture_output=True, env=environment)
        statuses.append(done.returncode)
    return statuses


def measure_theirs(python: str, state: dict[str, Any], count: int) -> None:
    for name in names(min(count, THEIRS)):
        if name in state["theirs_s"]:
            continue
        busy, begin = others_at_work(), time.perf_counter()
        statuses = [
            each
            for attempt in range(1, ATTEMPTS + 1)
            for each in their_attempt(python, name, attempt, PLACE / "torch_extensions")
        ]
        right = sum(status in (0, 1) for status in statuses)
        if right != ATTEMPTS * SAMPLES / 3:
            raise RuntimeError(f"{name}: {right} are right: {statuses}")
        state["theirs_s"][name] = time.perf_counter() - begin
        state["busy"].append(busy)
        save(state)
        print(f"theirs, {name}: {state['theirs_s'][name]:.1f} s", flush=True)


# --- ours ---


def assay_write(assay: Path, what: str, problems: list[str], *options: str) -> dict[str, Any]:
    """A whole search from nothing: neither its store nor its cache knows anything."""
    run = PLACE / what
    shutil.rmtree(run, ignore_errors=True)
    shutil.rmtree(PLACE / "cache", ignore_errors=True)
    command = [str(assay), "write", str(PLACE / "problems"), "--filter", ",".join(problems)]
    command += ["--attempts", str(ATTEMPTS), "--samples", str(SAMPLES), "--quick", "--quiet"]
    command += ["--goal", OUT_OF_REACH, "--allow", "library,fallback", "--out", str(run), *options]
    environment = {**os.environ, "ASSAY_CACHE": str(PLACE / "cache")}
    busy, begin = others_at_work(), time.perf_counter()
    done = subprocess.run(command, check=False, env=environment)
    seconds = time.perf_counter() - begin
    if done.returncode != 1:  # no goal is reached
        raise RuntimeError(f"{what}: exit status {done.returncode}")
    report = json.loads((run / "report.json").read_text())["summary"]
    watched = subprocess.run(
        [str(assay), "watch", str(run), "--json"], check=True, capture_output=True, text=True
    ).stdout
    standing = json.loads(watched)
    answers = sum(task["answers"] for task in standing["search"]["tasks"])
    if answers != len(problems) * ATTEMPTS * SAMPLES:
        raise RuntimeError(f"{what}: {answers} answers")
    print(f"{what}: {seconds:.1f} s, {report}", flush=True)
    idle_ms = standing["judge_idle_ms_while_answers_wait"]
    return {"s": seconds, "idle_ms": idle_ms, "busy": busy, "verdicts": report}


def model(folder: str) -> list[str]:
    command = f"{sys.executable} {HERE / 'write_model.py'} {PLACE / folder}"
    return ["--model", f"command:{command}"]


def measure_ours(assay: Path, state: dict[str, Any], count: int) -> None:
    mine = names(count)
    if "ours" not in state:
        state["ours"] = assay_write(assay, "ours", mine, *model("answers"), "--lang", "python")
        save(state)
    if "ours_c" not in state:
        mine = [name for name in mine if uses_extension(name)]
        state["ours_c"] = assay_write(assay, "ours-c", mine, *model("answers-c"), "--lang", "c")
        save(state)


OVERHEAD_CANDIDATES = 100


def seconds_of(command: list[str]) -> float:
    environment = {**os.environ, "ASSAY_CACHE": str(PLACE / "cache")}
    begin = time.perf_counter()
    subprocess.run(command, check=False, env=environment, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def small_problem(folder: Path) -> Path:
    """In a folder that held something else before."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    problem = folder / "small.py"
    problem.write_text(PROBLEM.format(factor="2.0", term="1.0").replace("256, 1024", "8"))
    return problem


def record(folder: Path, texts: list[str]) -> None:
    """Answers to drafts, in recorded.jsonl."""
    with open(folder / "recorded.jsonl", "w", encoding="utf-8") as lines:
        for n, text in enumerate(texts, 1):
            node = f"{folder.name}/_/local/small draft of [] attempt 1 sample {n}"
            print(json.dumps({"node": node, "text": text}), file=lines)


def ask_recorded(assay: Path, folder: Path, count: int) -> list[str]:
    """The command that asks for so many of them."""
    command = [str(assay), "write", str(folder / "small.py"), "--search", "best-of"]
    command += ["--samples", str(count), "--model", f"replay:{folder}/recorded.jsonl"]
    return [*command, "--until", "verify", "--quiet"]


def each_s(one_and_many: list[float]) -> float:
    """Without what one and many have in common: processes to start, and torch to import."""
    one, many = one_and_many
    return (many - one) / (OVERHEAD_CANDIDATES - 1)


def overhead_ms(assay: Path) -> float:
    """Per candidate: a search whose answers are recorded, less a run with the same candidates."""
    folder = PLACE / "overhead"
    problem = small_problem(folder)
    (folder / "mine").mkdir()
    codes = [
        PYTHON.format(mark=f"m{n}", factor="2.0", term=f"{n}.5", clamp="")
        for n in range(1, OVERHEAD_CANDIDATES + 1)
    ]
    for n, code in enumerate(codes, 1):
        (folder / "mine" / f"small__s{n}.py").write_text(code)
    record(folder, [f"```python\n{code}```\n" for code in codes])
    seconds: dict[str, list[float]] = {}
    for count in (1, OVERHEAD_CANDIDATES):
        run = [str(assay), "run", str(problem), "--until", "verify", "--on", "local", "--by"]
        run += [f"file:{folder}/mine" if count > 1 else f"file:{folder}/mine/small__s1.py"]
        commands = {"write": ask_recorded(assay, folder, count), "run": [*run, "--quiet"]}
        for what, command in commands.items():
            out = folder / f"{what}-{count}"
            command += ["--jobs", "1", "--out", str(out)]
            seconds.setdefault(what, []).append(seconds_of(command))
            attempts = json.loads((out / "report.json").read_text())["attempts"]
            if len(attempts) != count:
                raise RuntimeError(f"{what}: {len(attempts)} attempts")
    each = {what: each_s(both) for what, both in seconds.items()}
    print(f"overhead: {each}", flush=True)
    return (each["write"] - each["run"]) * 1e3


def answer_ms(assay: Path) -> float:
    """Per answer, where nobody has to think and nothing can be judged: what is left is all ours."""
    folder = PLACE / "answers-alone"
    small_problem(folder)
    record(folder, [f"This is answer {n}." for n in range(1, OVERHEAD_CANDIDATES + 1)])
    seconds: list[float] = []
    for count in (1, OVERHEAD_CANDIDATES):
        out = folder / f"write-{count}"
        seconds.append(seconds_of([*ask_recorded(assay, folder, count), "--out", str(out)]))
        search = json.loads((out / "report.json").read_text())["search"]
        if sum(task["answers"] for task in search["tasks"]) != count:
            raise RuntimeError(f"{count} answers: {search['tasks']}")
    return each_s(seconds) * 1e3


# --- what was measured ---


def others_at_work() -> float:
    """Cores that others keep busy, over a second in which nothing of ours is at work."""

    def busy() -> int:
        words = Path("/proc/stat").read_text().split()[1:9]
        user, nice, system, _, _, irq, soft, steal = map(int, words)
        return user + nice + system + irq + soft + steal

    before = busy()
    time.sleep(1)
    return (busy() - before) / os.sysconf("SC_CLK_TCK")


def state_file(count: int) -> Path:
    return PLACE / f"state-{count}.json"


def save(state: dict[str, Any]) -> None:
    path = state_file(state["problems"])
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(state, indent=1) + "\n")
    temporary.replace(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("build", type=Path)
    parser.add_argument("--few", action="store_true", help="four problems; writes no result")
    parser.add_argument("--again", action="store_true", help="forget what was measured")
    arguments = parser.parse_args()
    count = FEW if arguments.few else PROBLEMS
    assay = arguments.build.resolve() / "bin" / "assay"
    python = os.environ.setdefault("ASSAY_PYTHON", str(REPOSITORY / ".venv/bin/python3"))
    PLACE.mkdir(parents=True, exist_ok=True)
    state: dict[str, Any] = {"problems": count, "theirs_s": {}, "busy": []}
    if state_file(count).exists() and not arguments.again:
        state = json.loads(state_file(count).read_text())
    write_all(count)
    measure_ours(assay, state, count)
    measure_theirs(python, state, count)
    if "overhead_ms" not in state:
        state["overhead_ms"] = median(overhead_ms(assay) for _ in range(3))
        save(state)
    if "answer_ms" not in state:
        state["answer_ms"] = median(answer_ms(assay) for _ in range(3))
        save(state)
    measured = state["theirs_s"]
    inline = [s for name, s in measured.items() if uses_extension(name)]
    plain = [s for name, s in measured.items() if not uses_extension(name)]
    theirs_inline = mean(inline) * sum(map(uses_extension, names(count)))
    theirs = theirs_inline + mean(plain) * sum(not uses_extension(name) for name in names(count))
    ours, ours_c = state["ours"], state["ours_c"]
    busy = [*state["busy"], ours["busy"], ours_c["busy"]]
    figures = {
        "write_s": ours["s"],
        "write_c_s": ours_c["s"],
        "write_process_each_s": theirs,
        "write_process_each_extensions_s": theirs_inline,
        "write_ratio": theirs / ours["s"],
        "write_c_ratio": theirs_inline / ours_c["s"],
        "write_judge_idle_percent": ours["idle_ms"] / ours["s"] / 10,
        "write_overhead_ms": state["overhead_ms"],
        "write_answer_ms": state["answer_ms"],
        "write_others_cores": sum(busy) / len(busy),
    }
    if arguments.few:
        print(json.dumps(figures, indent=1))
    else:
        result_file.write("write", figures, answers=count * ATTEMPTS * SAMPLES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
