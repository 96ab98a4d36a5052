"""The same kernel with a difference that is irrelevant, and with more work by a known amount.

A kernel of ../kernels is a program as it stands. Lines that begin with `//%`, or `# %` in Python,
are where variants may differ:

    names A, B         these words are others
    functions          functions that nothing calls, some or none, of sizes that are drawn
    methods            the same, of a class
    checks             branches that no call takes
    shuffled ... end   the lines between, in any order

Everything follows from a seed. The loops stay what they are, `loops.py` looks; what differs is
where they come to lie.
"""

import random
import re
from dataclasses import dataclass

VISITS = re.compile(r"\b(VISITS\b *=? *)100\b")  # where it is defined
MARK = re.compile(r"^( *)(?://|#) ?% *(\w+) *(.*)$")
MOST_FUNCTIONS, MOST_STATEMENTS = 6, 40
MOST_CHECKS = 3


@dataclass
class Variant:
    text: str
    names: dict[str, str]  # of the kernel's own names what they are here


def vary(source: str, seed: str, language: str, extra_percent: int = 0) -> Variant:
    """`language` is c or py; with `extra_percent` so much more work is done, in the same loops."""
    draw = random.Random(seed)
    if extra_percent:
        source, count = VISITS.subn(rf"\g<1>{100 + extra_percent}", source)
        if count != 1:
            raise ValueError(f"VISITS is defined {count} times, and once is needed for more work")
    filler = FILLERS[language]
    lines: list[str] = []
    names: dict[str, str] = {}
    shuffled: list[str] | None = None
    for line in source.splitlines():
        mark = MARK.match(line)
        if mark is None:
            (lines if shuffled is None else shuffled).append(line)
            continue
        indent, word, rest = mark.groups()
        if word == "names":
            names = {name: other_name(name, draw) for name in rest.split(", ")}
        elif word == "shuffled":
            shuffled = []
        elif word == "end" and shuffled is not None:
            draw.shuffle(shuffled)
            lines += shuffled
            shuffled = None
        elif word in filler:
            lines += [indent + each if each else "" for each in filler[word](draw)]
        else:
            raise ValueError(f"what is to differ at '{line.strip()}'?")
    text = "\n".join(lines) + "\n"
    for name, other in names.items():
        text = re.sub(rf"\b{name}\b", other, text)
    return Variant(text, names)


def other_name(name: str, draw: random.Random) -> str:
    return f"{name}_{draw.choice(('a', 'of_rows', 'here', 'x'))}{draw.randrange(1000)}"


def c_functions(draw: random.Random) -> list[str]:
    lines = []
    for _ in range(draw.randint(0, MOST_FUNCTIONS)):
        name = f"unused_{draw.randrange(10**9)}"
        lines += [
            f"float {name}(const float* values, int64_t count);",
            f"float {name}(const float* values, int64_t count) {{",
            "  float sum = 0;",
            *(
                f"  if (count > {draw.randint(1, 999)}) sum += {draw.random():.3f}f * "
                f"values[{draw.randrange(64)}];"
                for _ in range(draw.randint(1, MOST_STATEMENTS))
            ),
            "  return sum;",
            "}",
            "",
        ]
    return lines


def c_checks(draw: random.Random) -> list[str]:
    return [
        f"if (call->threads == {draw.randint(5000, 9999)}) return {draw.randint(2, 9)};"
        for _ in range(draw.randint(0, MOST_CHECKS))
    ]


def python_functions(draw: random.Random, first: str = "") -> list[str]:
    lines = []
    for _ in range(draw.randint(0, MOST_FUNCTIONS)):
        lines += [
            f"def unused_{draw.randrange(10**9)}({first}values, count):",
            "    total = 0",
            *(
                f"    total += {draw.random():.3f} * values[{draw.randrange(64)}] * count"
                for _ in range(draw.randint(1, MOST_STATEMENTS))
            ),
            "    return total",
            "",
        ]
    return lines


def python_methods(draw: random.Random) -> list[str]:
    return python_functions(draw, "self, ")


FILLERS = {
    "c": {"functions": c_functions, "checks": c_checks},
    "py": {"functions": python_functions, "methods": python_methods},
}
