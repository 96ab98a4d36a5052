"""Takes a candidate's own tests away: the suite's come behind, and count alone.

With a test goes what cannot be without it: the names that it leaves, and each statement that uses
one of them, in blocks, too. Functions stay; what calls one that would call a test goes.
"""

import ast
import contextlib
import copy
import dis
import inspect
import types
from dataclasses import dataclass, field
from typing import Any

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
# With statements of their own in the scope around. TryStar is of Python 3.11.
_COMPOUND: tuple[type[ast.stmt], ...] = (
    *(ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match),
    *([ast.TryStar] if hasattr(ast, "TryStar") else []),
)
_BLOCKS = ("body", "orelse", "finalbody")
_READS = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")
_AT_ONCE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>")


def is_test(name: str) -> bool:
    return name.startswith("test_") or name == "test"


def drop_tests(code: ast.Module) -> None:
    """Takes them out of a module."""
    names: _Known = {}
    gone = {
        each.func.id
        for each in ast.walk(code)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and is_test(each.func.id)
    }
    users: set[str] = set()
    while True:
        reduction = _Reduction(names, gone, users)
        body = reduction.reduced(code.body)
        lost = reduction.lost()
        calling = reduction.defined_by(lost | gone | users)
        if lost <= gone and calling <= users:
            break
        gone, users = gone | lost, users | calling
    code.body = body
    ast.fix_missing_locations(code)


@dataclass
class _Names:
    """Of the module, as Python itself sees a statement."""

    now: set[str] = field(default_factory=set)  # read as it runs
    later: set[str] = field(default_factory=set)  # read when what it defines is called
    bound: set[str] = field(default_factory=set)

    def read(self, code: types.CodeType, is_later: bool, is_outermost: bool = True) -> None:
        for each in dis.get_instructions(code):
            if each.opname in _READS:
                (self.later if is_later else self.now).add(each.argval)
            elif each.opname == "STORE_GLOBAL" or each.opname == "STORE_NAME" and is_outermost:
                self.bound.add(each.argval)
        for part in code.co_consts:
            if isinstance(part, types.CodeType):
                is_class = not part.co_flags & inspect.CO_OPTIMIZED
                at_once = is_class or part.co_name in _AT_ONCE
                self.read(part, is_later or not at_once, is_outermost=False)


# By what identifies a statement, which has to stay for that.
_Known = dict[int, tuple[ast.stmt, _Names]]


class _Reduction:
    """A module without what goes, once it is known which names are gone."""

    def __init__(self, names: _Known, gone: set[str], users: set[str]) -> None:
        self._names = names
        self._gone, self._users = gone, users
        self._kept: list[ast.stmt] = []  # of compound ones each part by itself
        self._dropped: set[str] = set()

    def lost(self) -> set[str]:
        """Names that nothing binds any more."""
        given = (self._names_of(each) for each in self._kept)
        return self._dropped.difference(*(each.bound - each.now for each in given))

    def defined_by(self, names: set[str]) -> set[str]:
        """What is defined, and needs one of these when it is called."""
        return {
            each.name
            for each in self._kept
            if isinstance(each, _DEFINITIONS) and self._names_of(each).later & names
        }

    def reduced(self, body: list[ast.stmt]) -> list[ast.stmt]:
        kept = []
        for node in body:
            left = self._left_of(node)
            if left is None:
                self._dropped |= self._names_of(node).bound
            else:
                kept.append(left)
        return kept

    def _left_of(self, node: ast.stmt) -> ast.stmt | None:
        if isinstance(node, _FUNCTIONS) and is_test(node.name) or _is_main_guard(node):
            return None
        blocks = _blocks_of(node)
        head = _head_of(node) if blocks else node
        if self._uses_gone(node, head):
            return None
        if not blocks:
            self._kept.append(node)
            return node
        before = len(self._kept)
        left = [self.reduced(block) for block in blocks]
        is_whole = sum(map(len, left)) == sum(map(len, blocks))
        # A loop that goes on until a test says so would not end.
        if not any(left) or isinstance(node, ast.While) and not is_whole:
            del self._kept[before:]
            return None
        self._kept.append(head)
        return _with_blocks(node, left)

    def _uses_gone(self, node: ast.stmt, head: ast.stmt) -> bool:
        now = self._names_of(head).now
        if now & self._gone:
            return True
        if isinstance(node, _DEFINITIONS) or not now & self._users:
            return False
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            return True
        return any(_hands_on(each, self._users) for each in ast.walk(node))

    def _names_of(self, node: ast.stmt) -> _Names:
        if id(node) not in self._names:
            # `break` stands in a loop, and what is of the future before everything else.
            is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
            whole = node if is_future else ast.While(ast.Constant(True), [node], [])
            module = ast.fix_missing_locations(ast.Module([whole], []))
            names = _Names()
            with contextlib.suppress(SyntaxError):  # who compiles what is left can name the place
                names.read(compile(module, "", "exec"), is_later=False)
            self._names[id(node)] = node, names
        return self._names[id(node)][1]


def _is_main_guard(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Compare)
        and isinstance(node.test.left, ast.Name)
        and node.test.left.id == "__name__"
    )


def _hands_on(node: ast.AST, names: set[str]) -> bool:
    """Whether it calls one of these, or gives it to what it calls."""
    return isinstance(node, ast.Call) and any(
        isinstance(each, ast.Name) and each.id in names for each in ast.walk(node)
    )


def _cases_of(node: ast.stmt) -> list[Any]:
    return [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]


def _blocks_of(node: ast.stmt) -> list[list[ast.stmt]]:
    """Its own statements, if it is compound: always as many lists, in this order."""
    if not isinstance(node, _COMPOUND):
        return []
    blocks: list[list[ast.stmt]] = [getattr(node, name, []) for name in _BLOCKS]
    return blocks + [each.body for each in _cases_of(node)]


def _with_blocks(node: ast.stmt, blocks: list[list[ast.stmt]]) -> ast.stmt:
    """The same statement around others."""
    made: Any = copy.copy(node)
    for name, block in zip(_BLOCKS, blocks, strict=False):
        if hasattr(node, name):
            setattr(made, name, block or ([ast.Pass()] if name == "body" else []))
    cases: list[Any] = []
    for case, block in zip(_cases_of(node), blocks[len(_BLOCKS) :], strict=True):
        cases.append(copy.copy(case))
        cases[-1].body = block or [ast.Pass()]
    for name in ("handlers", "cases"):
        if hasattr(node, name):
            setattr(made, name, cases)
    if isinstance(made, ast.Try) and not made.handlers and not made.finalbody:
        made.finalbody = [ast.Pass()]
    return made  # type: ignore[no-any-return]


def _head_of(node: ast.stmt) -> ast.stmt:
    return _with_blocks(node, [[] for _ in _blocks_of(node)])
