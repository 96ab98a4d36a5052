#!/usr/bin/env python3
"""Grades files with one resident assay.

    examples/grade.py PROBLEM CANDIDATE...

Prints the verdict of each file as it comes. What is no request (a file that cannot be read, say) is
told, the others are graded all the same, and the exit status is 1.
"""

import sys
from concurrent.futures import Future, as_completed
from pathlib import Path

import assay


def main(problem: str, *candidates: str) -> int:
    status = 0
    with assay.Judge(timeout="1m") as judge:
        pending: dict[Future[assay.Verdict], str] = {
            judge.submit(assay.Request(problem, Path(each))): each for each in candidates
        }
        for each in as_completed(pending):
            try:
                verdict = each.result()
            except assay.Error as error:
                print(f"{pending[each]}: {error}", file=sys.stderr)
                status = 1
            else:
                print(pending[each], verdict.outcome, verdict.why)
    return status


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("examples/grade.py PROBLEM CANDIDATE...")
    sys.exit(main(*sys.argv[1:]))
