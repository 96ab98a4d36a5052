"""The corpora through one resident grader, again and again: are verdicts as ever, is anything left?

    tests/corpus/resident.py            1,000 candidates, a quarter of an hour
    tests/corpus/resident.py --count N  so many, in two rounds at least
    tests/corpus/resident.py --write    and writes the figures to bench/results/resident.json

$ASSAY names the binary (build/release/bin/assay). Whenever nothing is in flight, what `assay serve`
and its zygotes hold is counted: memory, descriptors, threads, processes, files, control groups.
Exits with 1 where a verdict is not as its entry says, more is held at the end than after the first
round, something is left when it has ended, or it ends before it has answered.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))

import result_file
from harness.entries import ROOT, Entry, folders, read
from harness.verdicts import complaint

REPOSITORY = ROOT.parents[1]
LANGUAGES = {".py": "python", ".c": "c", ".cc": "cpp"}
# What may come to be held in one round and never again: pages of a heap that are used otherwise.
SLACK_BYTES = 8 << 20
# Those whose last process was on its way out go when the next jail is made.
SLACK_GROUPS = 8


@dataclass
class Held:
    """What a process and its children hold."""

    memory_bytes: int  # of the process itself, not of its children
    descriptors: int
    threads: int
    children: int
    children_bytes: int  # of all children: zygotes. Only those for timing are renewed
    children_descriptors: int
    groups: int  # of jails
    files: int  # in its temporary folder and its cache
    file_bytes: int


def children_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    direct = [int(child) for each in tasks for child in each.read_text().split()]
    return direct + [below for child in direct for below in children_of(child)]


def fields_of(pid: int) -> dict[str, str]:
    status = Path(f"/proc/{pid}/status").read_text()
    return dict(line.split(":", 1) for line in status.splitlines())


def memory_bytes_of(pid: int) -> int:
    return int(fields_of(pid)["VmRSS"].split()[0]) << 10


def descriptors_of(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def groups_of(pid: int) -> list[Path]:
    """Control groups that this assay has made, those of its jails among them."""
    return [path for path in Path("/sys/fs/cgroup").rglob(f"assay-{pid}-*/**/") if path.is_dir()]


def held(pid: int, folders_of_it: list[Path]) -> Held:
    children = children_of(pid)
    files = [path for folder in folders_of_it for path in folder.rglob("*") if path.is_file()]
    return Held(
        memory_bytes=memory_bytes_of(pid),
        descriptors=descriptors_of(pid),
        threads=int(fields_of(pid)["Threads"]),
        children=len(children),
        children_bytes=sum(map(memory_bytes_of, children)),
        children_descriptors=sum(map(descriptors_of, children)),
        groups=len(groups_of(pid)),
        files=len(files),
        file_bytes=sum(path.stat().st_size for path in files),
    )


def request(entry: Entry, round_number: int) -> dict[str, Any]:
    return {
        "id": f"{entry.id} {round_number}",
        "problem": str(entry.problem),
        "code": entry.candidate.read_text(),
        "language": LANGUAGES[entry.candidate.suffix],
        "timeout_s": 10 if "timeout" in entry.classes else 60,
    }


def chosen_of(entries: list[Entry], count: int) -> list[Entry]:
    """What each round asks for, from all over the corpora.

    Rounds ask for the same, since what comes for the first time may be kept; and there are two at
    least, since growth is between rounds.
    """
    size = min(len(entries), count // 2)
    return [entries[i * len(entries) // size] for i in range(size)]


def write(pipe: Any, lines: list[bytes]) -> None:
    try:
        for line in lines:
            pipe.write(line)
        pipe.flush()
    except BrokenPipeError:
        pass  # it has ended, which shows where its verdicts end


def judge(server: Any, entries: list[Entry], judged: int) -> list[str]:
    """One round: what is not as expected. Raises EOFError."""
    misses = []
    by_id = {entry.id: entry for entry in entries}
    lines = [json.dumps(request(each, judged)).encode() + b"\n" for each in entries]
    writer = threading.Thread(target=write, args=(server.stdin, lines))
    writer.start()
    for missing in range(len(entries), 0, -1):
        line = server.stdout.readline()
        if not line.endswith(b"\n"):
            writer.join()
            raise EOFError(f"assay ended with {server.wait()}, and owes {missing} verdicts")
        verdict = json.loads(line)
        entry = by_id[verdict["id"].rpartition(" ")[0]]
        if wrong := verdict.get("invalid") or complaint(entry, verdict):
            misses.append(f"{verdict['id']}: {wrong}")
            print(misses[-1], flush=True)
    writer.join()
    return misses


def growth(first: Held, last: Held) -> list[str]:
    """What is held at the end and was not after the first round."""
    slack = {"groups": SLACK_GROUPS, "memory_bytes": SLACK_BYTES, "children_bytes": SLACK_BYTES}
    before, now = vars(first), vars(last)
    return [
        f"{name}: {before[name]} at first, {now[name]} now"
        for name in before
        if now[name] > before[name] + slack.get(name, 0)
    ]


def figures_of(samples: list[Held], judged: int, minutes: float) -> dict[str, float]:
    """What is `more` is held at the end, and was not after the first round."""
    first, last = samples[0], samples[-1]
    return {
        "resident_candidates": judged,
        "resident_minutes": minutes,
        "resident_memory_more_mib": (last.memory_bytes - first.memory_bytes) / (1 << 20),
        "resident_zygote_memory_more_mib": (last.children_bytes - first.children_bytes) / (1 << 20),
        "resident_descriptors_more": last.descriptors - first.descriptors,
        "resident_processes_more": last.children - first.children,
        "resident_files_more": last.files - first.files,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.count < 2:
        parser.error("--count is 2 at least: growth is between two rounds")
    entries = [entry for entry in map(read, folders()) if entry.threads == 1]
    chosen = chosen_of(entries, arguments.count)
    assay = os.environ.get("ASSAY", str(REPOSITORY / "build" / "release" / "bin" / "assay"))
    misjudged: list[str] = []
    faults: list[str] = []
    samples: list[Held] = []
    judged = 0
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="assay-resident-") as name:
        kept = [Path(name) / "tmp", Path(name) / "cache"]
        for folder in kept:
            folder.mkdir()
        environment = {**os.environ, "TMPDIR": str(kept[0]), "ASSAY_CACHE": str(kept[1])}
        shared = set(os.listdir("/dev/shm"))
        command = [assay, "serve", "--stdio"]
        server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        assert server.stdin and server.stdout
        children: list[int] = []
        try:
            while judged < arguments.count:
                asked = chosen[: arguments.count - judged]
                misjudged += judge(server, asked, judged)
                judged += len(asked)
                time.sleep(1)  # what has answered is still ending
                samples.append(held(server.pid, kept))
                children = children_of(server.pid)
                print(f"after {judged}: {samples[-1]}", flush=True)
            server.stdin.close()
            if status := server.wait():
                faults.append(f"assay ended with {status}")
        except EOFError as ended:
            faults.append(str(ended))
        left = [*kept[0].rglob("*"), *groups_of(server.pid)]
        left += [Path("/dev/shm", name) for name in os.listdir("/dev/shm") if name not in shared]
        left += [path for path in (Path("/proc", str(pid)) for pid in children) if path.exists()]
        faults += [f"it leaves {path}" for path in left]
    minutes = (time.monotonic() - begun) / 60
    faults += growth(samples[0], samples[-1]) if samples else []
    print(*faults, sep="\n", end="\n" if faults else "")
    if not any(sample.groups for sample in samples):
        print(
            "no control groups were seen, so nothing is said of them: they take root, and cgroups"
        )
    wrong = len(misjudged) + len(faults)
    print(f"{judged} judged in {minutes:.1f} minutes; {wrong} not as they must be")
    if arguments.write and samples:
        figures = figures_of(samples, judged, minutes)
        figures |= {"resident_not_as_expected": len(misjudged), "resident_left": len(left)}
        result_file.write("resident", figures, misses=misjudged + faults)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
