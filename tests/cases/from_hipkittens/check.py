"""The table for users of HipKittens' runner of KernelBench."""

import sys
from pathlib import Path

from manual_table import Row, Table, check, read_json


def complete(words: list[str]) -> list[str]:
    """Of most rows one option is the point. Nothing is judged where a row does not ask for it."""
    if words[words.index("assay") + 1] != "write":
        return words
    words = [*words, "--quiet"]
    words += ["PROBLEM"] if not {"PROBLEM", "DIR", "KERNELBENCH_DIR=DIR"} & {*words} else []
    words += ["--model", "MODEL"] if "--model" not in words else []
    words += ["--until", "answer"] if not {"--until", "--dry-run"} & {*words} else []
    return words if {"--out", "--dry-run"} & {*words} else [*words, "--out", "OUT"]


def statuses(row: Row, words: list[str]) -> tuple[int, ...]:
    if row.kind == "exit status of eval.py":
        return (int(row.here[0]),)
    return (0, 1) if "grade" in words else (0,)  # what was right may be slower


task = read_json("RUN/summary.json")["tasks"][0]
detailed = read_json("RUN/detailed_report.json")
check(
    Table(
        "hipkittens",
        {
            "PROBLEM": "level1/1_scale.py",
            "DIR": "level1",
            "MODEL": "command:sh model.sh",
            "CODE": "RUN/1_scale/best_code.py",
            "WRONG": "RUN/1_scale/code_1.py",
            "PROMPTS": "prompts",
            "FILE": "prompt.txt",
            "VERDICT": "verdict.json",
            "F": "0.1",
            "N": "2",
        },
        complete,
        statuses,
        keys={
            "result.json": read_json("RUN/1_scale/best_result.json"),
            "summary.json": read_json("RUN/summary.json"),
            "a task": task,
            "detailed_report.json": detailed,
            "its summary": detailed["summary"],
            "its tasks": detailed["tasks"][0],
        },
        columns={name: Path("RUN", name).read_text() for name in ("batch_run.log", "detailed_report.txt")},
    ),
    sys.argv[1],
)
