"""Results computed on a card: here there is none, but the CPU by that name."""

import functools
import os
import unittest
import unittest.mock

import torch
from judging import Judge, judged
from serving import Zygote, memory
from test_export import problem

from assay_worker import oracle, oracle_card
from assay_worker.protocol import Message


class InProcess:
    """An oracle in this process, asked as one behind a socket is."""

    def __init__(self) -> None:
        self._oracle = oracle.Oracle()

    def ask(self, request: Message, *descriptors: int) -> Message:
        with torch.no_grad():
            return self._oracle.answer(request, [os.dup(each) for each in descriptors])


class OnCard(unittest.TestCase):
    def judge(self, source: str) -> Judge:
        conversation = InProcess()
        with memory(source) as file:
            described = conversation.ask(
                {"do": "describe", "path": "/x.py", "mode": "eval", "precision": "f32"}
                | {"on_card": True},
                file,
            )["described"]
        judge = Judge(conversation, described, {})  # type: ignore[arg-type]
        self.assertIn("built", judge.build())
        self.assertIn("drawn", judge.draw())
        return judge

    def on(self, device: str) -> "unittest.mock._patch[object]":
        of_device = functools.partial(oracle_card.OnCard, device=device)
        return unittest.mock.patch.object(oracle, "OnCard", of_device)

    SOURCE = problem(
        "return self.l(x) + self.held",
        init="self.l = torch.nn.Linear(4, 4)\n        self.held = torch.arange(4.0)",
    )

    def test_it_is_computed_there(self) -> None:
        with self.on("cpu"):
            judge = self.judge(self.SOURCE)
            computed = judge.compute()
        self.assertEqual(computed["computed_on"], "card")
        self.assertFalse(computed["draws"])
        there = [judge.values(name)[0].clone() for name in ("baseline", "reference")]
        plain = self.judge(self.SOURCE)
        plain.compute()
        for value, name in zip(there, ("baseline", "reference"), strict=True):
            self.assertTrue(torch.equal(value, plain.values(name)[0]), name)

    def test_what_is_asked_of_single_operations_is_asked_on_the_cpu(self) -> None:
        with self.on("cpu"):
            judge = self.judge(problem("return x * 2"))
            self.assertEqual(judge.compute(integers=True)["computed_on"], "cpu")
            self.assertEqual(judge.compute()["computed_on"], "card")

    def test_what_has_no_numbers_there_is_computed_on_the_cpu(self) -> None:
        with self.on("meta"):
            computed = self.judge(self.SOURCE).compute()
        self.assertRegex(computed["computed_on"], "^cpu: .*meta")

    def test_without_a_card_the_cpu_does_it(self) -> None:
        with Zygote.started("oracle") as zygote:
            with judged(zygote, self.SOURCE, on_card=True) as judge:
                judge.build()
                judge.draw()
                computed = judge.compute()
                wanted = judge.values("baseline")[0]
                self.assertRegex(computed["computed_on"], "^cpu: .*CUDA")
                self.assertTrue(torch.isfinite(wanted).all())
                self.assertTrue(torch.allclose(judge.values("reference")[0].float(), wanted))


if __name__ == "__main__":
    unittest.main()
