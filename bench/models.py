#!/usr/bin/env python3
"""Measures whole networks through compilers by `assay run` beside a process for each step.

Usage: bench/models.py BUILD_FOLDER [--networks NAME,...] [--few]
       bench/models.py BUILD_FOLDER --memory [--networks NAME,...]

The zoo at `tiny`, each network by eager, iree and xla. bench/network_step.py is how people do that:
one process after the other, each of which imports torch and makes the network anew.

    verify    ours: `assay run --until verify`, which judges each result; theirs: eager called once,
              export, compile and run by IREE, run by XLA, which compares nothing
    profile   ours: `assay run --profile`; theirs: each is timed by a process, besides

What theirs can't take is left out of both sides, and named. --few takes two networks, and writes no
result.

    --memory  instead: the largest process that exports a network at `base`, where it holds its
              weights and where assay's names them; bert, vit and gpt2 unless others are named. It
              needs no quiet machine

ASSAY_PYTHON names the Python of both.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import result_file

REPOSITORY = Path(__file__).resolve().parent.parent
PLACE = REPOSITORY / "build" / "bench-models"
AUTHORS = "eager,iree,xla"
VERIFY = ("eager", "export", "compile", "run", "xla")
PROFILE = ("measure", "xla-time")  # and those above
BASE = ("bert", "vit", "gpt2")


def reason(stderr: str, status: int) -> str:
    """What a compiler says is wrong, and not the line of a traceback in which Python learnt it."""
    lines = [line.strip() for line in stderr.splitlines()]
    told = [line for line in lines if re.search(r"(?i)\berror:", line)]
    raised = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b", line)]
    # Results are read elsewhere: they name no folder of this machine.
    return re.sub(r"/\S+/", "", (told or raised or [f"exit {status}"])[0])


class Theirs:
    def __init__(self, python: str, network: str, size: str) -> None:
        self._python, self._network, self._size = python, network, size
        self._folder = PLACE / "theirs" / f"{network}-{size}"
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)

    def step(self, step: str) -> tuple[float, float, str]:
        """Seconds, MiB at most, and why it failed; "": it did not."""
        # -P: what lies beside the script is not what a compiler imports.
        script = str(REPOSITORY / "bench" / "network_step.py")
        command = [self._python, "-P", script, step, self._network, self._size, str(self._folder)]
        env = {**os.environ, "PYTHONPATH": str(REPOSITORY / "python")}
        begin = time.perf_counter()
        timed = subprocess.run(
            ["/usr/bin/time", "-f", "most %M", *command],
            check=False,
            capture_output=True,
            text=True,
            env=env,
        )
        seconds = time.perf_counter() - begin
        said = re.findall(r"^most (\d+)$", timed.stderr, re.MULTILINE)
        why = reason(timed.stderr, timed.returncode) if timed.returncode else ""
        return seconds, int(said[-1]) / 1024, why


def measure_theirs(python: str, networks: list[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Seconds of each step of each network that takes them all; and why others do not."""
    taken: dict[str, dict[str, float]] = {}
    left_out: dict[str, str] = {}
    for network in networks:
        theirs, seconds = Theirs(python, network, "tiny"), {}
        for step in (*VERIFY, *PROFILE):
            seconds[step], _, why = theirs.step(step)
            if why:
                left_out[network] = f"{step}: {why[:200]}"
                break
        else:
            taken[network] = seconds
        print(f"theirs: {network}: {left_out.get(network) or sum(seconds.values())}", flush=True)
    return taken, left_out


def measure_ours(assay: Path, networks: list[str], mode: list[str]) -> float:
    """Seconds, with nothing in its cache."""
    out, cache = PLACE / "ours", PLACE / "cache"
    shutil.rmtree(out, ignore_errors=True)
    shutil.rmtree(cache, ignore_errors=True)
    command = [str(assay), "run", *(f"model:{each}@tiny" for each in networks)]
    command += ["--by", AUTHORS, "--on", "local", *mode, "--quiet", "--out", str(out)]
    begin = time.perf_counter()
    subprocess.run(command, check=True, env={**os.environ, "ASSAY_CACHE": str(cache)})
    seconds = time.perf_counter() - begin
    attempts = json.loads((out / "report.json").read_text())["attempts"]
    wrong = [each["id"] for each in attempts if each["verdict"] != "accepted"]
    if wrong or len(attempts) != len(networks) * len(AUTHORS.split(",")):
        raise RuntimeError(f"ours: {len(attempts)} attempts, not accepted: {wrong}")
    return seconds


def memory_of_ours(assay: Path, network: str) -> float:
    """MiB of the process that exports it, at most."""
    out = PLACE / "base"
    shutil.rmtree(out, ignore_errors=True)
    command = [str(assay), "run", f"model:{network}@base", "--by", "iree", "--on", "local"]
    command += ["--until", "export", "--quiet", "--timeout", "30m", "--out", str(out)]
    env = {**os.environ, "ASSAY_CACHE": str(PLACE / "cache-base")}
    shutil.rmtree(PLACE / "cache-base", ignore_errors=True)
    subprocess.run(command, check=True, env=env)
    (attempt,) = json.loads((out / "report.json").read_text())["attempts"]
    (stage,) = (each for each in attempt["stages"] if each["stage"] == "export")
    return float(stage["peak_bytes"]) / 2**20


def measure_memory(assay: Path, python: str, networks: list[str]) -> None:
    figures: dict[str, float] = {}
    for network in networks:
        _, theirs_mib, why = Theirs(python, network, "base").step("export")
        if why:
            raise RuntimeError(f"theirs: {network} at base: {why}")
        figures[f"models_{network}_base_export_mib"] = memory_of_ours(assay, network)
        figures[f"models_{network}_base_steps_export_mib"] = theirs_mib
    result_file.write("models_memory", figures)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("build", type=Path)
    parser.add_argument("--networks", help="those alone")
    parser.add_argument("--memory", action="store_true", help="of exports at `base`")
    parser.add_argument("--few", action="store_true", help="two; writes no result")
    arguments = parser.parse_args()
    python = os.environ.setdefault("ASSAY_PYTHON", str(REPOSITORY / ".venv/bin/python3"))
    assay = arguments.build.resolve() / "bin" / "assay"
    every = sorted(path.stem for path in (REPOSITORY / "models").glob("*.py"))
    networks = arguments.networks.split(",") if arguments.networks else every
    if arguments.memory:
        measure_memory(assay, python, networks if arguments.networks else list(BASE))
        return 0
    if arguments.few:
        networks = ["conv", "mm"]
    taken, left_out = measure_theirs(python, networks)
    ours_verify = measure_ours(assay, list(taken), ["--until", "verify"])
    ours_profile = measure_ours(assay, list(taken), ["--profile"])
    by_step: dict[str, float] = defaultdict(float)
    for seconds in taken.values():
        for step, each in seconds.items():
            by_step[step] += each
    theirs_verify = sum(by_step[step] for step in VERIFY)
    theirs_profile = sum(by_step.values())
    figures = {
        "models_verify_ratio": theirs_verify / ours_verify,
        "models_profile_ratio": theirs_profile / ours_profile,
        "models_verify_s": ours_verify,
        "models_steps_verify_s": theirs_verify,
        "models_profile_s": ours_profile,
        "models_steps_profile_s": theirs_profile,
    }
    if arguments.few:
        print(json.dumps(figures, indent=1))
    else:
        result_file.write("models", figures, networks=list(taken), left_out=left_out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
