"""What the package says of verdicts, without a judge; tests/cases/package has one."""

import math
import re
import subprocess
import sys
import unittest
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import Any

from assay import Error, Judge, Request, Verdict
from assay.verdict import verdict_of

REPOSITORY = Path(__file__).parents[2]


def stage(name: str, **more: Any) -> dict[str, Any]:
    return {"stage": name, "status": "ok", "detail": None, "evidence": None, **more}


def verdict(**fields: Any) -> Verdict:
    """As `assay serve` writes it of one that is accepted, but for these fields."""
    record = {
        "id": 1,
        "verdict": "accepted",
        "outcome": "correct",
        "reason": None,
        "class": None,
        "error": None,
        "fault": None,
        "timing": None,
        "stages": [stage("verify")],
    }
    return verdict_of({**record, **fields})


def timed(low: float, **more: Any) -> Verdict:
    timing = {"provisional": True, "labels": [], "speedups": [{"low": low}], **more}
    return verdict(outcome="undecided", reason="quick", timing=timing)


def broken(outcome: str, fault: str) -> Verdict:
    return verdict(verdict=outcome, outcome=None, fault=fault, error="it is so")


class Rewards(unittest.TestCase):
    def test_are_of_the_lower_end(self) -> None:
        self.assertEqual(verdict().reward(), 0.3)
        self.assertEqual(timed(1.0).reward(), 1.3)
        self.assertEqual(timed(3.0).reward(right=0), 2)
        self.assertEqual(timed(100.0).reward(most=7, right=1), 4)
        self.assertLess(timed(0.5).reward(), timed(0.9).reward())
        self.assertGreater(timed(0.01).reward(), verdict().reward())

    def test_punish_for_the_candidates_fault_alone(self) -> None:
        def reward(outcome: str, fault: str) -> float:
            return broken(outcome, fault).reward(failed=-2, wrong=-1)

        self.assertEqual(reward("failed", "candidate"), -2)
        self.assertEqual(reward("unsupported", "candidate"), -2)
        self.assertEqual(reward("rejected", "candidate"), -1)
        for fault in ("machine", "assay", "problem"):
            for outcome in ("not_judged", "failed", "rejected"):
                self.assertEqual(reward(outcome, fault), 0)
        self.assertTrue(math.isnan(broken("not_judged", "machine").reward(unjudged=math.nan)))
        with self.assertRaisesRegex(ValueError, "not the candidate's"):
            verdict().reward(unjudged=-0.1)

    def test_leave_out_what_torch_computes(self) -> None:
        self.assertEqual(timed(2.0, labels=["library"]).reward(wrong=-1), -1)
        self.assertGreater(timed(2.0, labels=["library"]).reward(allow=["library"]), 1)
        with self.assertRaisesRegex(TypeError, "several"):
            timed(2.0).reward(allow="library")
        with self.assertRaisesRegex(ValueError, "allow has libary"):
            timed(2.0).reward(allow=["libary"])
        hidden = timed(2.0, labels=["library", "fallback"])
        self.assertEqual(hidden.reward(allow=["library"]), 0)
        self.assertGreater(hidden.reward(allow=["library", "fallback"]), 1)
        self.assertGreater(timed(2.0, labels=["batched"]).reward(wrong=-1), 1)
        watched = {"watched": {"operations": ["aten.mm"], "hidden": []}}
        by_torch = verdict(stages=[stage("verify", evidence=watched)])
        self.assertEqual((by_torch.labels, by_torch.reward()), (("library",), 0))

    def test_have_a_place_for_what_was_compiled_alone(self) -> None:
        self.assertEqual(verdict(verdict="compiled", outcome=None).reward(), 0.1)


class Words(unittest.TestCase):
    def test_say_why(self) -> None:
        failed = verdict(
            verdict="failed",
            outcome=None,
            fault="candidate",
            error="it does not compile",
            stages=[stage("compile", detail="f.c:1: error"), stage("verify")],
            **{"class": "build"},
        )
        self.assertEqual(
            (failed.ok, failed.outcome, failed.why, failed.detail),
            (False, "failed", "build: it does not compile", "f.c:1: error"),
        )
        self.assertEqual((timed(1.0).why, timed(1.0).provisional), ("quick", True))
        self.assertEqual((verdict().why, verdict().speedup_low, verdict().detail), ("", None, ""))


class Requests(unittest.TestCase):
    def test_name_a_problem_or_bring_it(self) -> None:
        here = str(Path.cwd() / "a.py")
        for problem, begins in (
            (Path("a.py"), f'{{"problem": "{here}", '),
            ("op:softmax[rows=8]", '{"problem": "op:softmax[rows=8]", '),
            ("import torch\n", '{"problem_code": "import torch\\n", '),
        ):
            encoded = Request(problem, "x", time=False).encoded().decode()
            self.assertEqual(encoded, begins + '"code": "x", "time": false}')

    def test_that_nobody_could_read_are_errors(self) -> None:
        for request, why in (
            (Request("a.py"), "either code or an answer"),
            (Request(None, "x"), "a Path or a text, and not None"),  # type: ignore[arg-type]
            (Request("a.py", "x", answer="y"), "either code or an answer"),
            (Request("a.py", Path("x.pl")), "by its ending"),
            (Request("a.py", Path("missing.c")), "cannot be read"),
            (Request("a.py", "\ud800"), "JSON"),
            (Request("a.py", "x", timeout=math.nan), "JSON"),
            (Request("a.py", "x" * (17 << 20)), "bytes"),
        ):
            with self.assertRaisesRegex(Error, why):
                request.encoded()


class Documented(unittest.TestCase):
    manual = (REPOSITORY / "docs" / "manual.md").read_text()

    def test_are_the_fields_of_a_verdict(self) -> None:
        table = self.manual.partition("<!-- verdict of the package -->\n")[2].partition("\n\n")[0]
        rows = re.findall(r"^\| `(\w+)`", table, re.MULTILINE)
        self.assertEqual(rows, [field.name for field in fields(Verdict)])

    def test_are_the_cases_of_a_reward(self) -> None:
        table = self.manual.partition("\n### Rewards\n")[2].partition("\n## ")[0]
        rows = re.findall(r"^\| `(\w+)` .* ([\d.]+) \|$", table, re.MULTILINE)
        default = signature(Verdict.reward).parameters
        self.assertGreaterEqual(len(rows), 5)
        for name, number in rows:
            self.assertEqual(default[name].default, float(number), name)


class Options(unittest.TestCase):
    def test_are_those_of_serve(self) -> None:
        manual = (REPOSITORY / "docs" / "manual.md").read_text()
        serve = manual.partition("### assay serve\n")[2].partition("\n### ")[0]
        known = set(re.findall(r"^- `--([a-z-]+)", serve, re.MULTILINE))
        known -= {"stdio", "help"}
        # Of --mcp alone.
        known -= {"mcp", "spend", "filter", "skip", "sample", "limit", "ids", "allow"}
        parameters = set(signature(Judge).parameters) - {"assay"}
        self.assertEqual({name.replace("_", "-") for name in parameters}, known)

    def test_importing_it_imports_no_torch(self) -> None:
        script = "import assay, sys; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
        subprocess.run([sys.executable, "-c", script], cwd=REPOSITORY / "python", check=True)


if __name__ == "__main__":
    unittest.main()
