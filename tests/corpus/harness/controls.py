"""The positive control of an attack: the naive judge, in a folder of its own, must believe it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from harness.entries import ROOT, Entry

NAIVE = ROOT.parent / "naive_judge"
INCLUDE = ROOT.parents[1] / "include"
LIMIT_SECONDS = 60


def naive_says(entry: Entry) -> str:
    """What is wrong with the control, or "". The judge is copied: some attacks write its files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for source in NAIVE.iterdir():
            if source.is_file():
                shutil.copy(source, folder)
        shutil.copy(entry.problem, folder / "problem.py")
        attack = folder / entry.candidate.name
        shutil.copy(entry.candidate, attack)
        command = [
            sys.executable,
            str(folder / "naive.py"),
            str(folder / "problem.py"),
            str(attack),
        ]
        environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": name,
            "TMPDIR": name,
            "ASSAY_INCLUDE": str(INCLUDE),
            "OPENBLAS_NUM_THREADS": "1",
        }
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=LIMIT_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return f"the naive judge took more than {LIMIT_SECONDS} s"
    try:
        said = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        last = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        return f"the naive judge ended with {done.returncode} and said: {last}"
    if said["correct"] is not True:
        return f"the naive judge does not believe it: {said}"
    if entry.speedup and said["speedup"] < entry.speedup:
        return f"the naive judge sees a speed-up of {said['speedup']}, not {entry.speedup}"
    return ""
