"""State in plain Python: refused where a second call depends on it, and only there."""

import unittest

from test_export import problem as make_problem
from test_program import INPUT, Called

INIT = """self.n, self.kept, self.log, self.table = 0, None, [], {}
        self.layer, self.net = nn.Linear(4, 4), nn.LSTM(4, 4)
        self.state, self.note = torch.zeros(4), types.SimpleNamespace(count=0)"""
TOP = """import array, collections, itertools, logging, random, types
import numpy
CALLS, LOGGER = 0, logging.getLogger('problem')"""
EXTENDED = "self.kept = x if self.kept is None else torch.cat([self.kept, x])"

# What `forward` does, and what is named.
DEPENDS = (
    ("self.n += 1; return x * self.n", "self.n"),
    ("self.n += 1; x.mul_(self.n); return x + 1", "self.n"),
    ("self.n += 1; return x, self.n", "self.n"),
    ("self.n += 1; return x + torch.tensor([1.0, 2, 3, self.n])", "self.n"),
    ("self.n += 1; self.state = self.state + self.n; return x", "self.n"),
    ("self.n += 1; return self.net(x)[0] * self.n", "self.n"),
    ("self.training = not self.training; return x if self.training else -x", "self.training"),
    ("self.note.count += 1; return x * self.note.count", "self.note.count"),
    ("self.layer.n = getattr(self.layer, 'n', 0) + 1; return x * self.layer.n", "self.layer.n"),
    ("Model.n = getattr(Model, 'n', 0) + 1; return x * Model.n", "Model.n"),
    ("global CALLS; CALLS += 1; return x * CALLS", "CALLS"),
    (f"{EXTENDED}; return self.kept.sum(0)", "self.kept"),
    ("self.log.append(x); return sum(self.log)", "self.log"),
    ("y = x + self.table.get('last', 0); self.table['last'] = x; return y", "self.table['last']"),
    ("return x * random.random()", "random"),
    ("return x * numpy.random.rand()", "numpy.random"),
    ("self.kept = torch.rand(4) if self.kept is None else self.kept; return x + self.kept", "kept"),
)
# Where else Python keeps a value: what `__init__` makes, or the top of the file; what `forward`
# does; and what is named.
PLACES = (
    ("self.a = numpy.zeros(2)", "self.a[0] += 1; return x * self.a[0]", "self.a"),
    ("self.a = numpy.array([1, []], object)", "self.a[0] += 1; return x * self.a[0]", "self.a"),
    ("self.a = array.array('i', [0])", "self.a[0] += 1; return x * self.a[0]", "self.a"),
    ("self.b = bytearray(1)", "self.b[0] += 1; return x * self.b[0]", "self.b"),
    ("self.r = random.Random(1)", "return x * self.r.random()", "self.r"),
    ("self.r = numpy.random.default_rng(1)", "return x * self.r.random()", "self.r"),
    ("self.r = numpy.random.RandomState(1)", "return x * self.r.rand()", "self.r"),
    ("self.d = Table(n=0)", "self.d['n'] += 1; return x * self.d['n']", "self.d['n']"),
    ("self.d = Table()", "self.d.n = len(vars(self.d)) + 1; return x * self.d.n", "self.d.n"),
    (
        "self.d = collections.UserDict(n=0)",
        "self.d['n'] += 1; return x * self.d['n']",
        "d.data['n']",
    ),
    ("self.d = collections.Counter()", "self.d['n'] += 1; return x * self.d['n']", "self.d['n']"),
    (
        "self.d = collections.OrderedDict(a=1, b=2)",
        "self.d.move_to_end(next(iter(self.d))); return x * next(iter(self.d.values()))",
        "self.d",
    ),
    (
        "self.d = {'a': 1, 'b': 2}",
        "k = next(iter(self.d)); v = self.d.pop(k); self.d[k] = v; return x * v",
        "self.d",
    ),
    ("pass", "LAZY['n'] += 1; return x * LAZY['n']", "LAZY['n']"),
    ("self.p = Slotted()", "self.p.n += 1; return x * self.p.n", "self.p.n"),
    ("self.p = Slotted()", "self.p.m = not hasattr(self.p, 'm'); return x * self.p.m", "self.p.m"),
    ("self.p = [Slotted()]", "self.p[0].n += 1; return x * self.p[0].n", "self.p.n"),
    ("self.p = frozenset([Slotted()])", "p, = self.p; p.n += 1; return x * p.n", "self.p.n"),
    ("self.f = counter()", "return x * self.f()", "self.f.n"),
    ("self.f = functools.partial(counter())", "return x * self.f()", "self.f.n"),
    ("self.f = Slotted().count", "return x * self.f()", "self.f.n"),
    ("pass", "return x * logged()", "logged.log"),
    ("pass", "return x * logged(log=[], last=x)", "logged.last"),
    ("pass", "logged.n = getattr(logged, 'n', 0) + 1; return x * logged.n", "logged.n"),
    ("pass", "Other.n += 1; return x * Other.n", "Other.n"),
    ("pass", "return x * Other.counted()", "Other.counted.log"),
    ("pass", "Base.n += 1; return x * self.n", "Base.n"),
    (
        "self.w = nn.Parameter(x4)",
        "w = self.w; w.n = hasattr(w, 'n') + 1; return x * w.n",
        "self.w.n",
    ),
    (
        "self.more = [nn.Linear(4, 4)]",
        "m = self.more[0]; m.n = hasattr(m, 'n'); return x * m.n",
        "self.more.n",
    ),
)
PLACES_TOP = """import functools
def counter():
    n = 0
    def count():
        nonlocal n
        n += 1
        return n
    return count
def logged(log=[], *, last=None):
    log.append(1)
    if last is not None:
        logged.__kwdefaults__['last'] = (logged.__kwdefaults__['last'] or 0) + 1
    return len(log) + (logged.__kwdefaults__['last'] or 0)
class Table(dict):
    def clear(self): raise TypeError
    update = __delitem__ = clear
class Lazy(collections.OrderedDict):
    def items(self): raise ImportError("reading all of it imports all of it")
    keys = values = __iter__ = items
LAZY = Lazy(n=0)
class Slotted:
    __slots__ = ("n", "m")
    def __init__(self): self.n = 0
    def count(self):
        self.n += 1
        return self.n
class Other:
    n = 0
    @staticmethod
    def counted(log=[]):
        log.append(1)
        return len(log)
class Base(nn.Module):
    n = 0
x4 = torch.ones(4)
"""
# What later calls compute is what the first computes.
HARMLESS: tuple[tuple[str, list[str]], ...] = (
    ("self.n = x.shape[0]; return x * self.n", []),
    ("self.kept = torch.arange(4.0) if self.kept is None else self.kept; return x * self.kept", []),
    ("return x @ self.table.setdefault(x.shape, torch.ones(4, 4).tril())", []),
    # Nobody can tell what the hundredth call does with these.
    ("self.n += 1; return self.layer(x)", ["first_call"]),
    ("self.n += 1; self.state = self.state + x.sum(0); return self.state", ["first_call"]),
    ("self.n += 1; return self.net(x)[0]", ["first_call"]),
    ("self.kept = self.layer(x); return x + 1", ["first_call"]),
    ("self.log.append(x); return x + 1", ["first_call"]),
    ("random.random(); return x + 1", ["first_call"]),
    ("self.n += 1; return x * 2 if self.n < 9 else x", ["first_call"]),
    # It can be called twice, and that can't be traced: the second reads what is in a tensor.
    ("self.n += 1; return x if self.n < 2 or x.sum() < 1e9 else -x", ["second_call_unknown"]),
    # What is no state of the file: nothing is noted, and nothing put back.
    ("LOGGER.calls = getattr(LOGGER, 'calls', 0) + 1; return x + 1", []),
)
# What the second call raises, and what is said of it.
RAISES = (
    ("assert not self.n, 'once'; self.n = 1; return x + 1", "AssertionError: once"),
    ("self.n += 1; return x * [1, 2][self.n]", "IndexError: list index out of range"),
    ("self.n += 1; return x if self.n < 2 else x @ x", "RuntimeError: a and b must have same red"),
    ("self.n += 1; return x if self.n < 2 else self.missing", "no attribute 'missing'"),
    ("self.n += 1; return x if self.n < 2 else sys.exit(3)", "SystemExit: 3"),
)


def problem(forward: str) -> str:
    return make_problem(forward, INIT, INPUT, TOP)


class FirstCall(Called):
    def test_what_a_second_call_depends_on_is_refused(self) -> None:
        for forward, name in DEPENDS:
            with self.subTest(forward=forward):
                reason = self.unsupported(problem(forward))
                self.assertIn("what the next call computes depends on it", reason)
                self.assertIn(f"{name}`", reason)
                self.assertIn("`forward` changes", reason)

    def test_what_does_no_harm_is_not(self) -> None:
        for forward, fallbacks in HARMLESS:
            with self.subTest(forward=forward):
                ok = self.same(problem(forward), calls=3)
                self.assertEqual(ok["fallbacks"], fallbacks)

    def test_dropout_and_statistics_beside_a_counter(self) -> None:
        forward = "self.n += 1; return nn.functional.dropout(self.bn(x) + torch.rand(4), 0.5, True)"
        source = make_problem(forward, "self.n, self.bn = 0, nn.BatchNorm1d(4)", INPUT)
        ok = self.ok(source, mode="train").answer["ok"]
        self.assertEqual(ok["fallbacks"], ["first_call"])
        self.assertEqual(len(ok["state"]), 3)

    def test_all_places_where_python_keeps_a_value(self) -> None:
        for init, forward, name in PLACES:
            with self.subTest(init=init, forward=forward):
                source = make_problem(forward, init, INPUT, f"{TOP}\n{PLACES_TOP}")
                source = source.replace("class Model(nn.Module)", "class Model(Base)")
                reason = self.unsupported(source)
                self.assertIn("what the next call computes depends on it", reason)
                self.assertIn(f"{name}`", reason)

    def test_what_cannot_be_put_back(self) -> None:
        for kind in ("itertools.count()", "(n for n in range(9))"):
            with self.subTest(kind=kind):
                source = make_problem("next(self.c); return x", f"self.c = {kind}", INPUT, TOP)
                reason = self.unsupported(source)
                self.assertIn("changes `self.c`, which can't be put back", reason)

    def test_a_second_call_that_fails_is_refused(self) -> None:
        for forward, error in RAISES:
            with self.subTest(forward=forward):
                reason = self.unsupported(problem(forward))
                self.assertIn("`forward` changes `self.n`, and a second call fails: ", reason)
                self.assertIn(error, reason)


if __name__ == "__main__":
    unittest.main()
