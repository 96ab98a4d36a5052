"""The positive control of an attack: the naive judge, in a folder of its own, must believe it."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path

from harness.entries import ROOT, Entry, folders, read
from harness.process import wait

NAIVE = ROOT.parent / "naive_judge"
INCLUDE = ROOT.parents[1] / "include"
LIMIT_SECONDS = 60
# On a busy machine the mean of a few calls can be anything; and where memory lies is luck.
TRIES = 5
# Whoever collects reports does that when judges have ended.
COLLECT_AFTER_SECONDS = 0.5


def lay_solutions(entry: Entry, folder: Path) -> None:
    """What others have handed in for the same problem."""
    folder.mkdir()
    for other in (read(each) for each in folders() if each.parent.name == "honest"):
        if other.problem == entry.problem:
            shutil.copy(other.candidate, folder / f"{other.name}{other.candidate.suffix}")


def judge_in_child(folder: Path, attack: str, habits: list[str]) -> None:
    """Becomes `naive.py problem.py ATTACK HABIT...`, importing torch no other time.

    Does not return.
    """
    code = 1
    try:
        os.chdir(folder)
        with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
        script = str(folder / "naive.py")
        sys.argv = [script, str(folder / "problem.py"), str(folder / attack), *habits]
        sys.path.insert(0, str(folder))
        environment = {"HOME": str(folder), "TMPDIR": str(folder), "ASSAY_INCLUDE": str(INCLUDE)}
        os.environ.update(environment)
        tempfile.tempdir = None
        runpy.run_path(script, run_name="__main__")
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def naive_once(entry: Entry) -> tuple[bool, float, str]:
    """Whether the naive judge says "correct", the speed-up that it sees, what went wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # A copy: some attacks write the judge's files.
        for source in NAIVE.iterdir():
            if source.is_file():
                shutil.copy(source, folder)
        shutil.copy(entry.problem, folder / "problem.py")
        shutil.copy(entry.candidate, folder)
        lay_solutions(entry, folder / "solutions")
        pid = os.fork()
        if pid == 0:
            judge_in_child(folder, entry.candidate.name, entry.habits)
        if wait(pid, LIMIT_SECONDS) is None:
            return False, 0.0, f"the naive judge took more than {LIMIT_SECONDS} s"
        said_in = folder / "stdout"
        if "report" in entry.habits:
            said_in = folder / "report.json"
            time.sleep(COLLECT_AFTER_SECONDS)
        text = said_in.read_text() if said_in.exists() else ""
        stderr = (folder / "stderr").read_text()
    try:
        said = json.loads(text.strip().splitlines()[-1])
    except (IndexError, ValueError):
        last = (stderr.strip().splitlines() or ["nothing"])[-1]
        return False, 0.0, f"the naive judge gave no result and said: {last}"
    return said["correct"] is True, said["speedup"], ""


def naive_says(entry: Entry) -> str:
    """What is wrong with the control, or "". To be called before this process holds tensors."""
    said = []
    for _ in range(TRIES):
        correct, speedup, trouble = naive_once(entry)
        if correct and speedup >= entry.speedup:
            return ""
        said.append(trouble or f"correct: {correct}, speed-up {speedup}")
    return f"does not deceive the naive judge: {'; '.join(sorted(set(said)))}"
