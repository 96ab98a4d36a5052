"""Recurrent networks: exported as loops, compiled, and run beside eager and double precision."""

import re
import unittest
from typing import Any

import torch
from compiling import Compiled
from serving import EXPORT, Serving
from torch.utils import _pytree as pytree

from assay_worker import kernelbench

X = "torch.rand(3, 7, 5) - 0.5"


def problem(init: str, forward: str = "return self.net(x, *more)", inputs: str = X) -> str:
    return f"""
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init}
    def forward(self, x, *more):
        {forward}
def get_inputs():
    return [{inputs}]
"""


class Recurrent(Serving):
    def exported(self, source: str) -> str:
        outcome = self.zygote.export(source)
        self.assertIn("ok", outcome.answer, str(outcome.answer)[:300])
        self.assertNotIn("Warning", outcome.printed)
        self.assertEqual(outcome.answer["ok"]["fallbacks"], [])
        return outcome.mlir.decode()

    def unsupported(self, source: str, mode: str = "eval") -> str:
        job = {**EXPORT, "mode": mode}
        answer = self.zygote.job(job, source).answer
        self.assertIn("unsupported", answer, str(answer)[:300])
        reason: str = answer["unsupported"]["reason"]
        return reason

    def same_numbers(self, source: str, loops: int) -> None:
        """The compiled program has `loops` loops, and computes what eager and double compute."""
        mlir = self.exported(source)
        self.assertEqual(mlir.count("torch.prim.Loop %"), loops)
        with torch.no_grad():
            torch.manual_seed(1)
            workload = kernelbench.load(source.encode(), "/x/p.py")
            model, inputs = workload.build().eval(), workload.inputs()
            tensors = [x for x in pytree.tree_leaves(inputs) if isinstance(x, torch.Tensor)]
            results = Compiled(mlir.encode(), dict(model.named_parameters()))(*tensors)
            eager = pytree.tree_leaves(model(*inputs))
            double = pytree.tree_map_only(torch.Tensor, torch.Tensor.double, inputs)
            exact = pytree.tree_leaves(model.double()(*double))
        self.assertEqual(len(results), len(eager))
        for result, near, true in zip(results, eager, exact, strict=True):
            self.assertGreater(true.std().item(), 1e-2)  # or there would be nothing to compare
            torch.testing.assert_close(result, near, rtol=0, atol=1e-6)
            torch.testing.assert_close(result.double(), true, rtol=0, atol=1e-6)

    def test_lstm(self) -> None:
        self.same_numbers(problem("self.net = nn.LSTM(5, 4)"), loops=1)

    def test_lstm_of_two_layers_in_both_directions_from_given_states(self) -> None:
        states = "(torch.rand(4, 3, 6), torch.rand(4, 3, 6))"
        init = "self.net = nn.LSTM(5, 6, 2, bidirectional=True, batch_first=True)"
        self.same_numbers(problem(init, inputs=f"{X}, {states}"), loops=4)

    def test_gru_of_two_layers_in_both_directions(self) -> None:
        init = "self.net = nn.GRU(5, 6, 2, bidirectional=True)"
        self.same_numbers(problem(init, inputs=f"{X}, torch.rand(4, 7, 6)"), loops=4)

    def test_many_outputs_in_chunks(self) -> None:
        init = "self.net = nn.{}(5, 128, bidirectional=True)"
        inputs = "torch.rand({}, 4, 5) - 0.5"
        for kind, steps, loops in (("LSTM", 144, 4), ("RNN", 150, 4), ("GRU", 151, 2)):
            with self.subTest(kind=kind, steps=steps):  # 151 is prime: there are no chunks
                source = problem(init.format(kind), inputs=inputs.format(steps))
                self.same_numbers(source, loops)

    def test_no_bias_and_dropout_in_eval(self) -> None:
        init = "self.net = nn.GRU(5, 4, 2, bias=False, batch_first=True, dropout=0.5)"
        self.same_numbers(problem(init), loops=2)

    def test_rnn_without_a_batch_and_of_one_step(self) -> None:
        init = "self.a = nn.RNN(5, 4); self.b = nn.RNN(5, 4, 2, nonlinearity='relu', bias=False)"
        forward = "return self.a(x, more[0]), self.b(more[1])"
        inputs = "torch.rand(7, 5) - 0.5, torch.rand(1, 4), torch.rand(1, 3, 5)"
        self.same_numbers(problem(init, forward, inputs), loops=3)

    def test_one_tensor_as_both_states(self) -> None:
        init, forward = "self.net = nn.LSTM(5, 4)", "return self.net(x, (more[0], more[0]))"
        self.same_numbers(problem(init, forward, f"{X}, torch.rand(1, 7, 4)"), loops=1)

    def test_cells(self) -> None:
        init = """self.l = nn.LSTMCell(5, 4); self.g = nn.GRUCell(5, 4, bias=False)
        self.t = nn.RNNCell(5, 4); self.r = nn.RNNCell(5, 4, nonlinearity='relu')"""
        forward = "return self.l(x, more), self.g(x, more[0]), self.t(x), self.r(x, more[1])"
        inputs = "torch.rand(3, 5), torch.rand(3, 4), torch.rand(3, 4)"
        self.same_numbers(problem(init, forward, inputs), loops=0)

    def test_functions_without_a_module(self) -> None:
        init = "self.w, self.v = (nn.Parameter(torch.rand(4, n) - 0.5) for n in (5, 4))"
        forward = """zero = x.new_zeros(1, 7, 4)
        return torch.rnn_tanh(x, zero, (self.w, self.v), False, 1, 0.0, False, False, False)"""
        self.same_numbers(problem(init, forward), loops=1)

    def test_size_does_not_depend_on_the_length(self) -> None:
        def operations(steps: int) -> tuple[int, dict[str, int]]:
            mlir = self.exported(
                problem("self.net = nn.LSTM(5, 4, 2)", inputs=f"torch.rand({steps}, 3, 5)")
            )
            names = re.findall(r"torch\.[a-z_.]+[A-Za-z]*", mlir)
            return len(mlir), {name: names.count(name) for name in names}

        (short, few), (long, many) = operations(2), operations(512)
        self.assertEqual(few, many)
        self.assertLess(long - short, 1_000)  # the digits
        self.assertLess(long, 40_000)

    def test_same_bytes_twice(self) -> None:
        source = problem("self.net = nn.GRU(5, 6, 2, bidirectional=True)")
        self.assertEqual(self.exported(source), self.exported(source))

    def test_a_loop_on_data_is_still_a_while_loop(self) -> None:
        forward = """below, double = (lambda n, y: y.sum() < 9), (lambda n, y: (n + 1, y * 2))
        return torch._higher_order_ops.while_loop(below, double, (x.new_zeros(()), x.clone()))"""
        mlir = self.exported(problem("pass", forward))
        self.assertEqual(mlir.count("torch.prim.Loop %int9223372036854775807"), 1)

    def test_refusals(self) -> None:
        lstm = "self.net = nn.LSTM(5, 4, 2, dropout=0.5)"
        pack = "nn.utils.rnn.pack_padded_sequence(x, torch.tensor([7, 6, 2]), batch_first=True)"
        rest = "(), False, 1, 0.0, False, False"
        for init, forward, mode, reason in (
            ("self.net = nn.LSTM(5, 4, proj_size=2)", "return self.net(x)", "eval", "proj_size"),
            (lstm, "return self.net(x)", "train", "dropout between the layers"),
            (lstm, f"return self.net({pack})[1]", "eval", "packed sequence"),
            (
                "pass",
                f"return torch.gru(x[0], torch.tensor([3, 2]), x[:1, :3], {rest})",
                "eval",
                "packed sequence",
            ),
            (
                "pass",
                f"return torch.lstm(x[0], torch.tensor([3, 2]), (x, x), {rest})",
                "eval",
                "packed sequence",
            ),
        ):
            with self.subTest(reason=reason, forward=forward):
                self.assertIn(reason, self.unsupported(problem(init, forward), mode))

    def test_what_eager_refuses_is_refused(self) -> None:
        source = problem("self.net = nn.LSTM(5, 4)", inputs="torch.rand(0, 3, 5)")
        answer: dict[str, Any] = self.zygote.export(source).answer
        self.assertIn("sequence length", answer["failed"]["error"])

    def test_training_without_dropout_between_layers(self) -> None:
        source = problem("self.net = nn.LSTM(5, 4, dropout=0.5)")  # one layer: nothing is between
        job = {**EXPORT, "mode": "train"}
        self.assertIn("ok", self.zygote.job(job, source).answer)


if __name__ == "__main__":
    unittest.main()
