"""Does what each row of the manual's table for users of geak-eval says: runs its commands, looks for its files and numbers.

Prints what is not so, and how many rows there are of each kind."""

import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

MARKED = re.compile(r"<!-- geak:begin -->\n(.*?)<!-- geak:end -->", re.DOTALL)
MANUAL, SUITE = sys.argv[1:]
KERNELS = Path("kernels")


def stands_for(word: str) -> str:
    for name, thing in (
        ("triton:SUITE", f"triton:{SUITE}"),
        ("file:RESULTS", f"file:{SUITE}/answers/pass_1.json"),
        ("file:PASSES/pass_*", f"file:{SUITE}/answers/pass_*"),
        ("file:KERNELS", f"file:{KERNELS}"),
        ("DIR", f"{SUITE}/g"),
        ("FOLDER/", "FOLDER/"),
        ("URL", "http://127.0.0.1:9/"),
        ("N", "1"),
    ):
        if word == name:
            return thing
    return word


def run(command: str) -> str:
    words = [stands_for(word) for word in shlex.split(command)]
    # What a whole suite comes to, the case has judged before: the folders are there.
    if words[1] == "run" and "--filter" not in words and "--limit" not in words:
        words += ["--filter", "vector_add,leaky_relu"]
    if words[1] == "run" and words[words.index("--out") + 1] in ("RUN", "OWN"):
        words[words.index("--out") + 1] += "-again"
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode not in (0, 1):
        print(command, "ends with", done.returncode, done.stdout)
    return done.stdout


def main() -> None:
    KERNELS.mkdir()
    shutil.copy(f"{SUITE}/g/vector_add.py", KERNELS / "vector_add.py")
    subprocess.run(["assay", "report", "RUN", "--format", "geak", "--to", "FOLDER/"], check=True)
    rows: Counter[str] = Counter()
    score = run("assay report RUN --format score")
    for line in MARKED.search(Path(MANUAL).read_text())[1].splitlines()[2:]:
        kind, _, here = (cell.strip() for cell in line.strip("|").split("|"))
        rows[kind] += 1
        for code in re.findall(r"`([^`]+)`", here):
            if code.startswith("assay "):
                run(code)
            elif code.startswith("FOLDER/"):
                if not Path(code).is_file():
                    print(code, "is not there")
            elif kind == "number" and code not in score:
                print(code, "is not in", score)
    print(dict(rows))


main()
