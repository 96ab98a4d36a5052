"""What test files of pytest ask of it, for those that are run without: parameters and marks."""

import contextlib
import importlib.abc
import importlib.machinery
import itertools
import sys
import types
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

_MARKS = "_assay_parameters"


class Skipped(Exception):
    """The test says itself that it is not for here."""


def install() -> None:
    """From here on `import pytest` gives this."""
    module: Any = types.ModuleType("pytest")
    module.__spec__ = importlib.machinery.ModuleSpec("pytest", None)
    module.mark = _Marks()
    module.fixture = _fixture
    module.param = _param
    module.skip = _skip
    module.fail = _fail
    module.raises = _raises
    module.approx = lambda value, *_, **__: value
    module.main = lambda *_, **__: 0
    module.Item = module.Session = module.Config = object
    sys.modules["pytest"] = module
    sys.meta_path.insert(0, _Clocks())


# What suites measure times with. Tests of times are not run, and their files import it all the
# same.
_OF_CLOCKS = ("geak_eval", "tb_eval", "performance_utils", "performance_utils_pytest")


class _Clocks(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds these modules with whatever is asked of them in, also where a suite brings its own."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.partition(".")[0] not in _OF_CLOCKS:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> Any:
        return None

    def exec_module(self, module: Any) -> None:
        module.__getattr__ = _nothing_of


def _nothing_of(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return _Nothing


class _Nothing:
    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


class _Marks:
    """pytest.mark.NAME: parameters are kept, and nothing else says what is to be run."""

    def parametrize(self, names: Any, values: Any, ids: Any = None, **_: Any) -> Callable[..., Any]:
        if isinstance(names, str):
            names = [name.strip() for name in names.split(",")]

        def mark(function: Any) -> Any:
            marks = [*getattr(function, _MARKS, []), (list(names), list(values), ids)]
            setattr(function, _MARKS, marks)
            return function

        return mark

    def skipif(self, condition: Any, *_: Any, reason: str = "", **__: Any) -> Callable[..., Any]:
        def mark(function: Any) -> Any:
            if condition:
                function._assay_skipped = reason or "skipif"
            return function

        return mark

    def skip(self, *_: Any, reason: str = "skip", **__: Any) -> Callable[..., Any]:
        return self.skipif(True, reason=reason)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _plain_mark


def _plain_mark(*arguments: Any, **_: Any) -> Any:
    """@pytest.mark.slow, or @pytest.mark.slow(...)."""
    return arguments[0] if arguments and callable(arguments[0]) else lambda function: function


def _fixture(*arguments: Any, **_: Any) -> Any:
    return arguments[0] if arguments and callable(arguments[0]) else lambda function: function


def _param(*values: Any, id: Any = None, **_: Any) -> Any:
    return SimpleNamespace(_assay_values=values, id=id)


def _skip(reason: str = "", **_: Any) -> None:
    raise Skipped(reason)


def _fail(reason: str = "", **_: Any) -> None:
    raise AssertionError(reason)


@contextlib.contextmanager
def _raises(expected: Any, *_: Any, **__: Any) -> Iterator[None]:
    try:
        yield
    except expected:
        return
    raise AssertionError(f"DID NOT RAISE {expected}")


def cases(name: str, function: Callable[..., Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each set of parameters of a test, with the name that pytest gives its node."""
    # The mark that is nearest to the function was applied first: its name comes first, and it
    # changes last.
    marks = getattr(function, _MARKS, [])
    if not marks:
        yield name, {}
        return
    choices = []
    for names, values, ids in marks:
        choices.append([_one(names, value, ids, at) for at, value in enumerate(values)])
    for chosen in itertools.product(*choices):
        arguments: dict[str, Any] = {}
        for _, some in chosen:
            arguments |= some
        yield f"{name}[{'-'.join(text for text, _ in chosen)}]", arguments


def _one(names: list[str], value: Any, ids: Any, at: int) -> tuple[str, dict[str, Any]]:
    given = getattr(value, "_assay_values", None)
    if given is None:
        given = value if len(names) > 1 else (value,)
    words = [_word(name, each, at) for name, each in zip(names, given, strict=True)]
    text = "-".join(words)
    if getattr(value, "id", None) and hasattr(value, "_assay_values"):
        text = str(value.id)
    elif isinstance(ids, list | tuple):
        text = str(ids[at])
    elif callable(ids):
        text = "-".join(str(ids(each)) for each in given)
    return text, dict(zip(names, given, strict=True))


def _word(name: str, value: Any, at: int) -> str:
    if value is None or isinstance(value, str | int | float | bool):
        return str(value)
    return getattr(value, "__name__", f"{name}{at}")
