"""The runner for artifacts of IREE, over the real protocol, against what torch has."""

import contextlib
import os
import time
import unittest
from pathlib import Path
from typing import Any

from compiling import FLAGS, VULKAN_FLAGS, compiled, difference
from judging import Windows, iree_on_vulkan, judged
from serving import SUITES, Zygote
from test_export import problem

from assay_worker.control_page import Outcome, WindowKind
from assay_worker.sheet import VULKAN

INPUT = "def get_inputs():\n    return [torch.randn(3, 4)]"


def _workers_of_iree_below(process: int) -> int:
    """Threads that compute for IREE's runtime, in this process and in all that it has started."""
    count = 0
    for task in Path(f"/proc/{process}/task").iterdir():
        count += (task / "comm").read_text().startswith("iree-worker-")
        count += sum(map(_workers_of_iree_below, map(int, (task / "children").read_text().split())))
    return count


class Iree(unittest.TestCase):
    oracle: Zygote
    exporter: Zygote
    forks: Zygote

    @classmethod
    def setUpClass(cls) -> None:
        started = contextlib.ExitStack()
        cls.addClassCleanup(started.close)
        cls.oracle = started.enter_context(Zygote.started("oracle"))
        cls.exporter = started.enter_context(Zygote.started("export"))
        cls.forks = started.enter_context(Zygote.started("iree"))

    def check(
        self,
        source: str,
        mode: str = "eval",
        precision: str = "f32",
        flags: tuple[str, ...] = FLAGS,
        **more: Any,
    ) -> None:
        """Two windows give what eager gives; the second does not see the first."""
        run = self.forks.conversation if flags == FLAGS else iree_on_vulkan
        job = {"job": "export", "path": "/x/p.py", "mode": mode, "precision": precision, "seed": 7}
        outcome = self.exporter.job(job, source)
        self.assertIn("ok", outcome.answer)
        ok = outcome.answer["ok"]
        with judged(self.oracle, source, mode=mode, precision=precision) as judge, run() as runner:
            self.assertIn("built", judge.build())
            sheet = judge.sheet(
                parameter_scope="model",
                state=ok["state"],
                mutated_inputs=ok["mutated_inputs"],
                **more,
            )
            with Windows(judge, runner, compiled(outcome.mlir, flags), sheet) as windows:
                self.assertTrue(windows.ready.get("ready"), windows.ready)
                self.assertEqual(windows.ready["device"], sheet["device"])
                for seed in (3, 4):
                    judge.draw(seed)
                    judge.compute()
                    self.assertEqual(windows.open(), Outcome.FINISHED, windows.text)
                    got, wanted = judge.values("outputs"), judge.values("baseline")
                    self.assertEqual(difference(got, wanted), "")
                self.assertEqual(windows.end(), {"final": True, "ok": {}})

    def test_results_stay_where_they_are(self) -> None:
        """What timing asks for: only an input that is changed is copied."""
        self.check_in_place(INPUT.replace("]", ", torch.ones(4)]"))

    def test_inputs_with_gaps_are_those_of_the_window(self) -> None:
        """IREE reads copies of them; they are drawn once arguments have been prepared."""
        strided = INPUT.replace("(3, 4)]", "(4, 3).t(), torch.ones(4)]")
        self.assertIn(".t()", strided)
        self.check_in_place(strided)

    def check_in_place(self, inputs: str) -> None:
        source = problem("more[0].add_(x.sum(0)); return x * more[0], x.sum()", inputs=inputs)
        outcome = self.exporter.export(source)
        ok = outcome.answer["ok"]
        with judged(self.oracle, source) as judge, self.forks.conversation() as runner:
            judge.build()
            sheet = judge.sheet(
                in_place=True, state=ok["state"], mutated_inputs=ok["mutated_inputs"]
            )
            with Windows(judge, runner, compiled(outcome.mlir), sheet) as windows:
                self.assertTrue(windows.ready.get("ready"), windows.ready)
                for seed in (3, 4):
                    self.assertEqual(windows.open(WindowKind.PREPARE), Outcome.FINISHED)
                    judge.draw(seed)
                    judge.compute()
                    windows.page.addresses[:2] = [0, 0]
                    self.assertEqual(windows.open(), Outcome.FINISHED, windows.text)
                    self.assertTrue(all(windows.page.addresses[:2]))
                    got, wanted = judge.values("outputs"), judge.values("baseline")
                    self.assertEqual(difference(got[2:], wanted[2:]), "")
                    self.assertNotEqual(difference(got[:2], wanted[:2]), "")
                    self.assertEqual(windows.open(WindowKind.TOLD), Outcome.FINISHED)
                    self.assertEqual(list(windows.page.outputs[0].shape[:2]), [3, 4])
                    windows.page.addresses[:2] = [0, 0]
                    self.assertEqual(windows.open(WindowKind.BESIDE), Outcome.FINISHED)
                    self.assertTrue(all(windows.page.addresses[:2]))
                self.assertEqual(windows.end(), {"final": True, "ok": {}})

    def test_weights_and_threads(self) -> None:
        source = problem("return self.layer(x)", "self.layer = nn.Linear(4, 5)", INPUT)
        self.check(source)
        self.check(source, threads=2)

    def test_threads_are_as_many_as_the_sheet_says(self) -> None:
        """Whatever machine the runtime sees: in a jail it sees no cores."""
        threads = 1 + (os.cpu_count() or 1)
        source = problem("return self.layer(x)", "self.layer = nn.Linear(4, 5)", INPUT)
        ok = (exported := self.exporter.export(source)).answer["ok"]
        with judged(self.oracle, source) as judge, self.forks.conversation() as runner:
            judge.build()
            sheet = judge.sheet(
                parameter_scope="model", state=ok["state"], threads=threads, driver="local-task"
            )
            with Windows(judge, runner, compiled(exported.mlir, FLAGS), sheet) as windows:
                self.assertTrue(windows.ready.get("ready"), windows.ready)
                self.assertEqual(_workers_of_iree_below(os.getpid()), threads)
                self.assertEqual(windows.end(), {"final": True, "ok": {}})

    def test_state(self) -> None:
        self.check(problem("return self.norm(x)", "self.norm = nn.BatchNorm1d(4)", INPUT), "train")
        self.check(
            problem(
                "self.h = torch.tanh(self.h + x); return self.h",
                "self.h = torch.zeros(3, 4)",
                INPUT,
            )
        )

    def test_an_input_that_is_changed(self) -> None:
        inputs = INPUT.replace("]", ", torch.ones(4)]")
        self.check(problem("more[0].add_(x.sum(0)); return x * more[0]", inputs=inputs))

    def test_element_types(self) -> None:
        inputs = INPUT.replace(
            "]", ", torch.arange(4), torch.ones(3, 4) > 0, torch.randn(4, 3).t(), 2]"
        )
        forward = (
            "i, b, t, k = more; y = torch.where(b, x + t, t) * k;"
            " return y.sum(), y > 0, i + 1, y[:, i.flip(0)]"
        )
        for precision in ("f32", "f64", "f16", "bf16"):
            with self.subTest(precision=precision):
                self.check(problem(forward, inputs=inputs), precision=precision)

    def test_small_integers_with_and_without_a_sign(self) -> None:
        small = "torch.arange(200, 212).to(torch.{})"
        inputs = INPUT.replace("]", f", {small.format('uint8')}, {small.format('int8')}]")
        self.check(problem("a, b = more; return a + 100, b + 100, b > 0", inputs=inputs))

    def test_of_the_tour(self) -> None:
        for name in ("level3/transformer_block", "level2/nested_arguments"):
            with self.subTest(name=name):
                self.check((SUITES / "tour" / f"{name}.py").read_text())

    def test_on_vulkan(self) -> None:
        """Several dispatches, weights, state, and an input that is changed."""
        on_vulkan: Any = {"flags": VULKAN_FLAGS, "device": VULKAN, "driver": "vulkan"}
        layers = "self.one, self.two = nn.Linear(4, 5), nn.Linear(5, 3)"
        self.check(
            problem("return torch.softmax(self.two(self.one(x).relu()), 1)", layers, INPUT),
            **on_vulkan,
        )
        norm = problem("return self.norm(x)", "self.norm = nn.BatchNorm1d(4)", INPUT)
        self.check(norm, "train", **on_vulkan)
        inputs = INPUT.replace("]", ", torch.ones(4), torch.arange(3).int()]")
        forward = "s, i = more; s.add_(x.sum(0)); return x * s, i + 1, x > 0"
        self.check(problem(forward, inputs=inputs), **on_vulkan)

    def test_what_is_no_artifact(self) -> None:
        source = problem("return x", inputs=INPUT)
        with judged(self.oracle, source) as judge, self.forks.conversation() as runner:
            with Windows(judge, runner, b"nothing", judge.sheet()) as windows:
                self.assertEqual(windows.ready["failed"]["class"], "load")

    def test_it_starts_in_a_fraction_of_a_second(self) -> None:
        source = problem("return x + 1", inputs=INPUT)
        outcome = self.exporter.export(source)
        artifact = compiled(outcome.mlir)
        with judged(self.oracle, source) as judge:
            judge.build()
            took = []
            for _ in range(3):
                begun = time.monotonic()
                with self.forks.conversation() as runner:
                    with Windows(judge, runner, artifact, judge.sheet()) as windows:
                        self.assertTrue(windows.ready["ready"])
                        took.append(time.monotonic() - begun)
                        windows.end()
        self.assertLess(min(took), 1)


if __name__ == "__main__":
    unittest.main()
