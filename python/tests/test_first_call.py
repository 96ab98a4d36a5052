"""State in plain Python: refused where a second call depends on it, and only there."""

import unittest

from test_export import problem as make_problem
from test_program import INPUT, Called

INIT = """self.n, self.kept, self.log, self.table = 0, None, [], {}
        self.layer, self.net = nn.Linear(4, 4), nn.LSTM(4, 4)
        self.state, self.note = torch.zeros(4), types.SimpleNamespace(count=0)"""
TOP = "import random, types\nimport numpy\nCALLS = 0"
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

    def test_a_second_call_that_fails_is_noted(self) -> None:
        forward = "assert not self.n; self.n = 1; return x + 1"
        ok = self.ok(problem(forward)).answer["ok"]
        self.assertEqual(ok["fallbacks"], ["first_call"])


if __name__ == "__main__":
    unittest.main()
