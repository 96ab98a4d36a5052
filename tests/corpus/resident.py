"""The corpora through one resident grader, again and again: are verdicts as ever, is anything left?

    tests/corpus/resident.py            1,000 candidates, a quarter of an hour
    tests/corpus/resident.py --count N  so many

$ASSAY names the binary (build/release/bin/assay). Whenever nothing is in flight, what `assay serve`
and its zygotes hold is counted: memory, descriptors, threads, processes, files, control groups.
Exits with 1 where a verdict is not as its entry says, more is held at the end than after the first
round, or something is left when it has ended.
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

from harness.entries import ROOT, Entry, folders, read
from judge import complaint

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
    child_bytes: int  # of the child that has most: one of the zygotes, which are renewed
    child_descriptors: int
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
        child_bytes=max(map(memory_bytes_of, children)),
        child_descriptors=max(map(descriptors_of, children)),
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


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    count = parser.parse_args().count
    entries = [entry for entry in map(read, folders()) if entry.threads == 1]
    by_id = {entry.id: entry for entry in entries}
    assay = os.environ.get("ASSAY", str(REPOSITORY / "build" / "release" / "bin" / "assay"))
    misses: list[str] = []
    samples: list[Held] = []
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="assay-resident-") as name:
        kept = [Path(name) / "tmp", Path(name) / "cache"]
        for folder in kept:
            folder.mkdir()
        environment = {**os.environ, "TMPDIR": str(kept[0]), "ASSAY_CACHE": str(kept[1])}
        command = [assay, "serve", "--stdio"]
        server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        assert server.stdin and server.stdout
        judged = 0
        shared = set(os.listdir("/dev/shm"))
        while judged < count:
            chosen = entries[: min(len(entries), count - judged)]
            lines = [json.dumps(request(e, judged)).encode() + b"\n" for e in chosen]
            writer = threading.Thread(target=lambda lines=lines: write(server.stdin, lines))
            writer.start()
            for _ in chosen:
                verdict = json.loads(server.stdout.readline())
                entry = by_id[verdict["id"].rpartition(" ")[0]]
                if wrong := verdict.get("invalid") or complaint(entry, verdict):
                    misses.append(f"{verdict['id']}: {wrong}")
                    print(misses[-1], flush=True)
            writer.join()
            judged += len(chosen)
            time.sleep(1)  # what has answered is still ending
            samples.append(held(server.pid, kept))
            print(f"after {judged}: {samples[-1]}", flush=True)
        server.stdin.close()
        if status := server.wait():
            misses.append(f"assay ended with {status}")
        left = [*kept[0].rglob("*"), *groups_of(server.pid)]
        left += [Path("/dev/shm", name) for name in os.listdir("/dev/shm") if name not in shared]
        if left:
            misses.append(f"it leaves {', '.join(map(str, left))}")
    first, last = samples[0], samples[-1]
    for field in ("descriptors", "threads", "children", "child_descriptors", "files"):
        if getattr(last, field) > getattr(first, field):
            misses.append(f"{field}: {getattr(first, field)} at first, {getattr(last, field)} now")
    if last.groups > first.groups + SLACK_GROUPS:
        misses.append(f"groups: {first.groups} at first, {last.groups} now")
    for field in ("memory_bytes", "child_bytes"):
        if getattr(last, field) > getattr(first, field) + SLACK_BYTES:
            misses.append(f"{field}: {getattr(first, field)} at first, {getattr(last, field)} now")
    if last.file_bytes > first.file_bytes:
        misses.append(f"bytes in files: {first.file_bytes} at first, {last.file_bytes} now")
    print(*misses[-6:], sep="\n")
    minutes = (time.monotonic() - begun) / 60
    print(f"{judged} judged in {minutes:.1f} minutes; {len(misses)} not as they must be")
    return 1 if misses else 0


def write(pipe: Any, lines: list[bytes]) -> None:
    for line in lines:
        pipe.write(line)
    pipe.flush()


if __name__ == "__main__":
    sys.exit(main())
