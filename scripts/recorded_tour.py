#!/usr/bin/env python3
"""Writes the answers that `replay:` gives for a dozen problems of the bundled suite, in C and C++.

    scripts/recorded_tour.py            writes suites/tour/recorded-c.jsonl and recorded-cpp.jsonl
    scripts/recorded_tour.py --check    exits 1 where they are not what it would write

No model answered these. The kernels are those of tests/recorded/: of each problem one that is right
and slow, one that is right and fast, and two mistakes in the slow one. Of these it makes a search's
answers, by each strategy: what does not build, then what is wrong, what is right, what is faster.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
KERNELS = REPOSITORY / "tests" / "recorded"
SUITE = REPOSITORY / "suites" / "tour"
LANGUAGES = ("c", "cpp")
# What a strategy is asked with, beside --search, so that it asks for these answers and no others.
STRATEGIES = {
    "reflect": ["--attempts", "4", "--samples", "1"],
    "best-of": ["--samples", "4"],
    "beam": ["--drafts", "2", "--repairs", "2", "--width", "1", "--rounds", "1"],
}
# Question -> the answer to it. Between brackets is what it goes on from: attempt.sample, and which
# repair of that. A draft that is right, of `best-of` and `beam`, has the code of the one that is
# repaired until it is.
NODES = {
    "draft of [] attempt 1 sample 1": "does_not_build",
    "draft of [] attempt 1 sample 2": "right",
    "draft of [] attempt 1 sample 3": "wrong",
    "draft of [] attempt 1 sample 4": "fast",
    # reflect
    "repair of [1.1] attempt 2 sample 1": "wrong",
    "repair of [2.1] attempt 3 sample 1": "right",
    "optimise of [3.1] attempt 4 sample 1": "fast",
    # beam
    "repair of [1.1] attempt 1 sample 1": "wrong",
    "repair of [1.1r1] attempt 1 sample 1": "right",
    "optimise of [1.2] attempt 2 sample 1": "fast",
    "optimise of [1.2] attempt 2 sample 2": "fast",
}
# Functions of C's headers, with the name that C++ has for all types.
IN_STD = {
    **{f"{name}{suffix}": name for name in ("fmax", "fmin") for suffix in ("", "f")},
    **{"truncf": "trunc", "roundf": "round", "powf": "pow", "sqrtf": "sqrt"},
    **{name: name for name in ("exp", "pow", "sqrt", "floor", "isnan")},
    **{name: name for name in ("memset", "memcpy", "malloc", "calloc", "free")},
}
HEADERS = {"math": "cmath", "stdlib": "cstdlib", "string": "cstring", "float": "cfloat"}


def in_cpp(code: str) -> str:
    """What is C, as C++ has it."""
    for ours, theirs in HEADERS.items():
        code = code.replace(f"#include <{ours}.h>", f"#include <{theirs}>")
    code = re.sub(
        r"(const )?(float|int64_t|unsigned char)\* (\w+) = (call->\S+data);",
        r"\1auto* \3 = static_cast<\1\2*>(\4);",
        code,
    )
    code = re.sub(r"typedef struct (\{.*?\}) (\w+);", r"struct \2 \1;", code, flags=re.DOTALL)
    return re.sub(
        rf"(?<![\w.>])({'|'.join(IN_STD)})\(", lambda found: f"std::{IN_STD[found[1]]}(", code
    )


def answers(folder: Path, language: str) -> dict[str, str]:
    mistakes = json.loads((folder / "mistakes.json").read_text())
    right, fast = ((folder / f"{name}.c").read_text() for name in ("right", "fast"))
    codes = {"right": right, "fast": fast}
    for name in ("does_not_build", "wrong"):
        mistake = mistakes[name]
        assert mistake["instead_of"] in right, f"{folder.name}: {mistake['instead_of']}"
        codes[name] = right.replace(mistake["instead_of"], mistake["has"])
    said = {
        "does_not_build": "As the problem has it, element by element.",
        "wrong": mistakes["does_not_build"]["mended"],
        "right": mistakes["wrong"]["mended"],
        "fast": mistakes["slow"]["mended"],
    }
    if language == "cpp":
        codes = {name: in_cpp(code) for name, code in codes.items()}
    return {name: f"{said[name]}\n\n```{language}\n{codes[name]}```\n" for name in codes}


def problems() -> Iterator[tuple[str, Path]]:
    """As ids begin, each with its folder of kernels."""
    for folder in sorted(KERNELS.iterdir()):
        if folder.is_dir():
            (problem,) = SUITE.glob(f"*/{folder.name}.py")
            yield f"{SUITE.name}/{problem.parent.name}/local/{folder.name}", folder


def recording(language: str) -> str:
    lines = []
    for problem, folder in problems():
        texts = answers(folder, language)
        for node, answer in NODES.items():
            line = {"node": f"{problem} {node}", "model": "recorded", "text": texts[answer]}
            lines.append(json.dumps(line) + "\n")
    return "".join(lines)


def path_of(language: str) -> Path:
    return SUITE / f"recorded-{language}.jsonl"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    status = 0
    for language in LANGUAGES:
        path, text = path_of(language), recording(language)
        if not check:
            path.write_text(text)
        elif not path.is_file() or path.read_text() != text:
            print(f"{path.relative_to(REPOSITORY)} is out of date: scripts/recorded_tour.py")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
