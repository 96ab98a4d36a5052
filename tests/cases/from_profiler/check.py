"""Runs each command between <!-- profiler:begin --> and its end in the manual that is named."""

import os
import re
import subprocess
import sys
from pathlib import Path

MARKED = re.compile(r"<!-- profiler:begin -->\n(.*?)<!-- profiler:end -->", re.DOTALL)
COMMAND = re.compile(r"`(assay [^`]+)`")

text = Path(sys.argv[1]).read_text()
(table,) = MARKED.findall(text)
rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in table.splitlines()[2:]]
ran = 0
for _, there, here in rows:
    for command in COMMAND.findall(here.replace("\\|", "|")):
        if command.startswith("assay show RUN ATTEMPT"):
            command = "assay show RUN matmul"
        if "--iree DIR" in command:
            continue  # it needs a build of IREE
        folder = f"r{ran}"
        if command.startswith("assay run") and "--dry-run" not in command:
            command = command.replace(" --out RUN", "") + f" --out {folder} --quiet"
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(
                f"{there.strip()}: {command}: status {done.returncode}\n{done.stdout}{done.stderr}"
            )
        ran += 1
        if "--until export" in command:
            assert list(Path(folder).rglob("kernel.mlir")), command
        if "--save-cmds" in command:
            assert Path(folder, "commands.sh").exists(), command
assert ran > 20, ran
assert list(Path("RUN").rglob("artifact.vmfb")), os.listdir("RUN")
head = Path("FILE.csv").read_text().splitlines()[0]
assert head.startswith("Provider,op_kind,") and head.endswith(",GFLOPs"), head
