#!/usr/bin/env python3
"""Grades candidates with one resident assay, as a training loop would.

    examples/grade.py PROBLEM CANDIDATE...

Prints the verdict of each file as it comes. Files in C and C++ are told by their suffix. What
cannot be read is told, the others are graded all the same, and the exit status is 1.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

LANGUAGES = {".py": "python", ".cc": "cpp"}  # others are called as their suffix


def grade(requests: Iterable[dict], *options: str) -> Iterator[dict]:
    """Yields a verdict for each request, by its "id", as they end.

    With the options "--against", "eager", "--quick" what is right is timed: verdict["timing"].
    """
    command = ["assay", "serve", "--stdio", *options]
    assay = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    failures = []

    def send() -> None:
        try:
            with assay.stdin as pipe:  # assay ends when it is closed
                for request in requests:
                    pipe.write(json.dumps(request).encode() + b"\n")
                    pipe.flush()
        except Exception as failure:
            failures.append(failure)

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    try:
        yield from map(json.loads, assay.stdout)
    except BaseException:  # closed before the last verdict, too
        assay.terminate()
        raise
    finally:
        assay.wait()
    if assay.returncode != 0:
        raise RuntimeError(f"assay ended with status {assay.returncode}")
    sender.join()
    if failures:
        raise RuntimeError("not all requests were sent") from failures[0]


def request(problem: str, candidate: Path) -> dict:
    language = LANGUAGES.get(candidate.suffix, candidate.suffix[1:])
    code = candidate.read_text()
    return {"id": str(candidate), "problem": problem, "code": code, "language": language}


def main(problem: str, *candidates: str) -> int:
    unread = []

    def requests() -> Iterator[dict]:
        for candidate in candidates:
            try:
                yield request(problem, Path(candidate))
            except (OSError, UnicodeDecodeError) as failure:
                unread.append(candidate)
                print(f"{candidate}: cannot be read: {failure}", file=sys.stderr)

    for verdict in grade(requests(), "--timeout", "1m"):
        why = verdict.get("invalid") or verdict["reason"] or verdict["error"] or ""
        print(verdict["id"], verdict.get("verdict", "invalid"), why)
    return 1 if unread else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("examples/grade.py PROBLEM CANDIDATE...")
    sys.exit(main(*sys.argv[1:]))
