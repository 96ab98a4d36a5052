#!/usr/bin/env python3
"""Grades candidates with one resident assay, as a training loop would.

    examples/grade.py PROBLEM CANDIDATE...

Prints the verdict of each file as it comes.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator


class Grader:
    """`assay serve`, with as many candidates in flight as it takes at once.

    With the options "--against", "eager", "--quick" what is right is timed: verdict["timing"].
    """

    def __init__(self, *options: str) -> None:
        command = ["assay", "serve", "--stdio", *options]
        self._assay = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def grade(self, requests: Iterable[dict]) -> Iterator[dict]:
        """Yields a verdict for each request, by its "id", as they end. Can be called once."""
        self._failure: Exception | None = None
        sender = threading.Thread(target=self._send, args=(requests,), daemon=True)
        sender.start()
        yield from map(json.loads, self._assay.stdout)
        if self._assay.wait() != 0:
            raise RuntimeError(f"assay ended with status {self._assay.returncode}")
        sender.join()
        if self._failure:
            raise RuntimeError("not all requests were sent") from self._failure

    def _send(self, requests: Iterable[dict]) -> None:
        try:
            with self._assay.stdin as pipe:  # assay ends when it is closed
                for request in requests:
                    pipe.write(json.dumps(request).encode() + b"\n")
                    pipe.flush()
        except Exception as failure:
            self._failure = failure


if __name__ == "__main__":
    problem, *candidates = sys.argv[1:]
    requests = ({"id": c, "problem": problem, "code": open(c).read()} for c in candidates)
    for verdict in Grader("--timeout", "1m").grade(requests):
        why = verdict.get("invalid") or verdict["reason"] or verdict["error"] or ""
        print(verdict["id"], verdict.get("verdict", "invalid"), why)
