"""Which problem an oracle speaks of: the file, how it is meant, and other numbers for its sizes."""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from assay_worker.failure import Unsupported


@dataclass(frozen=True)
class Settings:
    """A problem's file and its reading."""

    source: bytes
    path: str
    train: bool = False
    precision: str = "f32"
    constants: Mapping[str, int] = field(default_factory=dict)  # in place of the file's own

    def with_constants(self) -> bytes:
        """The source, with these numbers where the file has its own.

        Raises Unsupported where it has none of that name.
        """
        if not self.constants:
            return self.source
        places = {name: place for name, _, place in constants_of(self.source)}
        if missing := sorted(self.constants.keys() - places.keys()):
            raise Unsupported(f"the file sets no number named '{missing[0]}' at its top")
        text = self.source
        # From the end, so that places before stay where they are.
        for name in sorted(self.constants, key=lambda each: places[each][0], reverse=True):
            begin, end = places[name]
            text = text[:begin] + str(self.constants[name]).encode() + text[end:]
        return text


def constants_of(source: bytes) -> Iterator[tuple[str, int, tuple[int, int]]]:
    """(name, value, bytes from and to) of positive integers that the top of a file sets, once each.

    `rows = 512`, `rows, width = 512, 8 * 64`, `ROWS: int = 1 << 9`. Of what cannot be parsed: none.
    """
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for statement in body:
        if isinstance(statement, ast.AnnAssign) and statement.value is not None:
            pairs.append((statement.target, statement.value))
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            pairs += _pairs(statement.targets[0], statement.value)
    names = [target.id for target, _ in pairs if isinstance(target, ast.Name)]
    for target, value in pairs:
        number = _integer(value)
        if isinstance(target, ast.Name) and number > 0 and names.count(target.id) == 1:
            begin = starts[value.lineno - 1] + value.col_offset
            end = starts[(value.end_lineno or 0) - 1] + (value.end_col_offset or 0)
            yield target.id, number, (begin, end)


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        if len(target.elts) == len(value.elts):
            return list(zip(target.elts, value.elts, strict=True))
        return []
    return [(target, value)]


_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b if b else 0,
    ast.Pow: lambda a, b: a**b if 0 <= b < 64 else 0,
    ast.LShift: lambda a, b: a << b if 0 <= b < 64 else 0,
}


def _integer(value: ast.expr) -> int:
    """What an expression of written numbers gives; 0 for any other."""
    if isinstance(value, ast.Constant):
        return value.value if type(value.value) is int else 0
    if isinstance(value, ast.BinOp) and type(value.op) in _OPERATORS:
        left, right = _integer(value.left), _integer(value.right)
        return int(_OPERATORS[type(value.op)](left, right)) if left and right else 0
    return 0
