"""Oracle and candidate against each other, over the real protocol: eager's windows are eager."""

import contextlib
import unittest
from typing import Any

from judging import Windows, judged, same
from serving import SUITES, Zygote

from assay_worker.control_page import Outcome


class Judged(unittest.TestCase):
    """Tests that share an oracle's zygote and a candidate's."""

    oracle: Zygote
    candidate: Zygote

    @classmethod
    def setUpClass(cls) -> None:
        started = contextlib.ExitStack()
        cls.addClassCleanup(started.close)
        cls.oracle = started.enter_context(Zygote.started("oracle"))
        cls.candidate = started.enter_context(Zygote.started("candidate"))


class Eager(Judged):
    def check(self, source: str, mode: str = "eval", precision: str = "f32") -> dict[str, Any]:
        """Rounds of inputs: the model in the runner gives what the oracle's gives, bit by bit."""
        with (
            judged(self.oracle, source, 1 << 20, mode=mode, precision=precision) as judge,
            self.candidate.conversation() as runner,
        ):
            self.assertIn("built", judge.build())
            self.assertLess(judge.described["bytes"]["inputs"], 4 << 20, judge.constants)
            sheet = judge.sheet(mode=mode, precision=precision)
            with Windows(judge, runner, source.encode(), sheet) as windows:
                self.assertEqual(windows.ready.get("parameters"), "copied", windows.ready)
                computed: dict[str, Any] = {}
                for seed in (3, 4, 3):
                    self.assertEqual(judge.draw(seed), {"drawn": {}})
                    computed = judge.compute()
                    outcome = windows.open()
                    self.assertEqual(outcome, Outcome.FINISHED, windows.text)
                    got, baseline = judge.values("outputs"), judge.values("baseline")
                    self.assertTrue(same(got, baseline), (got, baseline))
                    for a, b in zip(baseline, judge.values("reference"), strict=True):
                        scale = float(b.double().abs().max()) or 1.0 if b.numel() else 1.0
                        if b.is_floating_point():
                            self.assertLess(float((a.double() - b).abs().max()) / scale, 0.05)
                self.assertEqual(windows.end(), {"final": True, "ok": {}})
            return {**judge.described, **computed}

    def test_of_the_tour(self) -> None:
        for name in """level1/softmax level1/leaky_relu_in_place level1/top_k level1/embedding_bag
            level2/nested_arguments level2/moving_average level2/device_literal
            level2/tempered_top_k level2/masked_softmax level2/rotary
            level3/rnn_hidden_state level3/lstm level3/transformer_block""".split():
            with self.subTest(name=name):
                source = (SUITES / "tour" / f"{name}.py").read_text()
                self.check(source)


if __name__ == "__main__":
    unittest.main()
