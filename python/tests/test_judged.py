"""Oracle and candidate against each other, over the real protocol: eager's windows are eager."""

import contextlib
import json
import signal
import unittest
from collections.abc import Iterator
from typing import Any

import torch
from judging import Windows, judged, same
from serving import SUITES, Zygote
from test_export import problem
from torch import nn

from assay_worker.control_page import Outcome, WindowKind
from assay_worker.model_state import Kept, keys_of
from assay_worker.protocol import EndOfStream

INPUT = "def get_inputs():\n    return [torch.randn(3, 4)]"


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
                        if b.is_floating_point() and b.numel():
                            scale = float(b.abs().max()) or 1.0
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

    def test_what_a_call_leaves_is_not_seen_by_the_next(self) -> None:
        norm = problem("return self.norm(x)", "self.norm = nn.BatchNorm1d(4)", INPUT)
        found = self.check(norm, "train")
        changed = [each["name"] for each in found["state"] if each.get("changed")]
        self.assertEqual(len(changed), 3)
        self.assertFalse(found["draws"])
        pair = problem(
            "h, c = self.kept; self.kept = (h + x, c * 2); self.n.add_(1); return h + c * self.n",
            "self.kept = (torch.zeros(3, 4), torch.ones(4)); self.n = torch.zeros(1)",
            INPUT,
        )
        self.check(pair)

    def test_arguments_and_results_of_all_kinds(self) -> None:
        inputs = """def get_inputs():
    nested = {'i': torch.arange(4), 'm': (torch.ones(4) > 0, None)}
    strided = [torch.randn(4, 3).t(), torch.randn(3, 1).expand(3, 4), torch.randn(3, 9)[:, 1::2]]
    return [torch.rand(3, 4), nested, 2, 'up', float('inf'), strided]"""
        forward = (
            "d, k, s, inf, (t, e, v) = more; y = x[:, d['i'].flip(0)] * k + t * e + v; "
            "return {'a': (x > 0, [y.long()]), 'y': y.masked_fill(~d['m'][0], -inf), "
            "'n': None, 's': len(s), 'z': y.sum(), 'e': y[:0]}"
        )
        found = self.check(problem(forward, inputs=inputs))
        self.assertEqual(
            [each for each in found["inputs"] if "shape" not in each],
            [{"scalar": None}, {"scalar": 2}, {"scalar": "up"}, {"float": "inf"}],
        )
        self.assertEqual(found["inputs"][-3]["strides"], [1, 3])
        self.assertEqual(found["scalars"], [{"scalar": 2}, {"float": "inf"}])

    def test_changed_arguments(self) -> None:
        forward = "x.mul_(2); more[0].add_(x.sum(0)); return x + more[0], more[1]"
        found = self.check(
            problem(forward, inputs=INPUT.replace("]", ", torch.ones(4), torch.ones(4)]"))
        )
        self.assertEqual(found["mutated_inputs"], [0, 1])
        self.assertEqual(found["aliased_inputs"], [None, 2])
        self.assertEqual(found["outputs"][1]["aliased_input"], 2)

    def test_precisions(self) -> None:
        source = problem(
            "return self.layer(x) * self.scale + torch.ones(4)",
            "self.layer = nn.Linear(4, 4); self.scale = torch.rand(4)",
            INPUT,
        )
        for precision in ("f16", "bf16", "f64"):
            with self.subTest(precision=precision):
                found = self.check(source, precision=precision)
                self.assertEqual(found["outputs"][0]["dtype"], precision)

    def test_arguments_of_the_constructor(self) -> None:
        init = "super().__init__(); self.layer = shape[1](); self.rest = (table, more)"
        source = problem(
            "return self.layer(x) * self.rest[0] + self.rest[1]['eps']", "pass", INPUT
        ).replace(
            "def __init__(self):\n        super().__init__()",
            f"def __init__(self, shape, table, more):\n        {init}",
        )
        self.check(
            source + "\ndef get_init_inputs():\n"
            "    return [(torch.Size([3]), nn.ReLU, torch.float16, slice(1, None)), "
            "torch.rand(4), {'eps': 1e-5, 'none': None}]"
        )


class Candidate(Judged):
    """What a runner says of candidates that are not eager."""

    SOURCE = problem("return self.layer(x)", "self.layer = nn.Linear(4, 4)", INPUT)

    @contextlib.contextmanager
    def windows(self, candidate: str, source: str = SOURCE, **sheet: Any) -> Iterator[Windows]:
        with (
            judged(self.oracle, source) as judge,
            self.candidate.conversation() as runner,
        ):
            judge.build()
            judge.draw()
            judge.compute()
            file = candidate.replace("class Model(", "class ModelNew(").encode()
            with Windows(judge, runner, file, judge.sheet(model="ModelNew", **sheet)) as windows:
                yield windows
                if "ready" in windows.ready:
                    windows.end()

    def one(self, forward: str, init: str = "self.layer = nn.Linear(4, 4)", **more: Any) -> Any:
        """(outcome, text, first of what it says of outputs) of one window."""
        with self.windows(problem(forward, init), **more) as windows:
            self.assertTrue(windows.ready.get("ready"), windows.ready)
            outcome = windows.open()
            told = windows.page.outputs[0]
            return outcome, windows.text, (told.dtype, list(told.shape[: max(told.rank, 0)]), told)

    def test_operators_are_written_to_a_file(self) -> None:
        with self.windows(self.SOURCE, operators=True) as windows:
            self.assertEqual(windows.open(), Outcome.FINISHED, windows.text)
            told = json.loads(windows.written)
        names = [each["name"] for each in told["operators"]]
        self.assertIn("addmm 4 3x4 4x4 f32", names)
        with self.windows(problem("raise ValueError('no')"), operators=True) as windows:
            self.assertEqual(windows.open(), Outcome.RAISED)
            self.assertIn("ValueError: no", windows.text)

    def test_what_can_be_copied(self) -> None:
        for init, why in (
            ("self.layer = nn.Linear(4, 4)", None),
            ("self.other = nn.Linear(4, 4)", "it has no 'layer.bias', 'layer.weight'"),
            ("self.layer = nn.Linear(4, 4); self.w = nn.Parameter(torch.ones(1))", "it has 'w'"),
            ("self.layer = nn.Linear(4, 4).double()", "is f64[4, 4], not f32[4, 4]"),
        ):
            with self.subTest(init=init), self.windows(problem("return x", init)) as windows:
                self.assertEqual(
                    windows.ready["parameters"], "by seed" if why else "copied", windows.ready
                )
                self.assertIn(why or "", windows.ready.get("why", ""))

    def test_both_are_drawn_under_one_seed(self) -> None:
        forward = "return self.mine(x)"
        with (
            judged(self.oracle, self.SOURCE) as judge,
            self.candidate.conversation() as runner,
        ):
            judge.build(99)
            judge.draw()
            judge.compute()
            file = problem(forward, "self.mine = nn.Linear(4, 4)").encode()
            with Windows(judge, runner, file, judge.sheet(seed=99)) as windows:
                self.assertEqual(windows.ready["parameters"], "by seed")
                self.assertEqual(windows.open(), Outcome.FINISHED)
                self.assertTrue(same(judge.values("outputs"), judge.values("baseline")))
                windows.end()

    def test_weights_that_are_integers(self) -> None:
        """Also where a candidate makes another form of its weights when it is constructed."""
        init = "self.layer = nn.Linear(4, 4); self.packed = self.layer.weight.t().contiguous()"
        forward = "return x @ self.packed + self.layer.bias"
        for integers in (True, False):
            with (
                self.subTest(integers=integers),
                judged(self.oracle, self.SOURCE) as judge,
                self.candidate.conversation() as runner,
            ):
                judge.build(integers=integers)
                judge.draw()
                judge.blocks["inputs"].tensor(judge.inputs[0]).round_()
                computed = judge.compute(integers=True)
                self.assertEqual(computed.get("integers", False), integers, computed)
                sheet = judge.sheet(integers=integers)
                with Windows(judge, runner, problem(forward, init).encode(), sheet) as windows:
                    self.assertEqual(windows.open(), Outcome.FINISHED)
                    windows.end()
                if integers:
                    (got,), (exact,) = judge.values("outputs"), judge.values("reference")
                    self.assertTrue(torch.equal(got.double(), exact))
                    self.assertGreater(len(exact.unique()), 3)

    def test_results_that_are_odd(self) -> None:
        lazy = "class Lazy(torch.Tensor):\n    pass\n"
        for forward, said in (
            ("return x[:, :3]", "output 0 is f32[3, 3], not f32[3, 4]"),
            ("return x.double()", "output 0 is f64[3, 4], not f32[3, 4]"),
            ("return x.sum()", "output 0 is f32[], not f32[3, 4]"),
            ("return x, x", "it returns 2 values, not 1"),
            ("return 3.5", "output 0 is float, not a tensor"),
            ("return x.to_sparse()", "layout"),
            ("return torch.empty(3, 4, device='meta')", "on the device meta"),
            ("return x.as_subclass(Lazy)", "a tensor of the class Lazy"),
            ("import numpy; return x.numpy()", "output 0 is ndarray, not a tensor"),
        ):
            with self.subTest(forward=forward):
                source = problem(forward, "self.layer = nn.Linear(4, 4)", top=lazy)
                with self.windows(source) as windows:
                    self.assertEqual(windows.open(), Outcome.ODD)
                    self.assertIn(said, windows.text)

    def test_what_is_told_of_a_result(self) -> None:
        outcome, _, (dtype, shape, told) = self.one("return x.relu()")
        self.assertEqual((outcome, dtype, shape), (Outcome.FINISHED, 2, [3, 4]))
        self.assertEqual(told.aliased_input, 0)
        _, _, (_, _, told) = self.one("return x")
        self.assertEqual(told.aliased_input, 1)

    def test_a_trial(self) -> None:
        """What KernelBench's own lines would say: the input is what is expected."""
        top = "class Own(torch.Tensor):\n    pass\n"
        expected = {"dtype": "f32", "shape": [3, 4], "memory": "inputs", "offset": 0}
        trials = {"seed": 42, "tolerance": 1e-4, "expected": expected}
        for result, outcome, said in (
            ("x", Outcome.FINISHED, ""),
            ("x * (1 + 1e-6)", Outcome.FINISHED, ""),
            ("x[:]", Outcome.FINISHED, ""),
            ("x.clone().as_subclass(Own)", Outcome.FINISHED, ""),
            ("x + 0.25", Outcome.FINISHED, "its result is not close, the largest distance is 0.25"),
            ("x * nan", Outcome.FINISHED, "the largest distance is nan"),
            ("x[:, :3]", Outcome.FINISHED, "its result has the shape [3, 3], not [3, 4]"),
            ("x.double()", Outcome.RAISED, "Float"),
            ("(x,)", Outcome.RAISED, "AttributeError"),
            ("setattr(torch, 'allclose', lambda *a, **k: True) or -x", Outcome.FINISHED, ""),
        ):
            source = problem(f"nan = float('nan'); return {result}", "pass", top=top)
            with self.subTest(result=result), self.windows(source, trials=trials) as windows:
                for _ in range(2):
                    self.assertEqual(windows.open(), outcome, windows.text)
                    self.assertIn(said, windows.text)
                    self.assertTrue(said or not windows.text, windows.text)

    def test_trials_follow_each_other(self) -> None:
        """Nothing is put back between them, and torch is seeded as before theirs."""
        forward = "self.calls += 1; s.append(torch.initial_seed()); raise ValueError(self.calls, s)"
        init = "self.register_buffer('calls', torch.zeros((), dtype=torch.int64))"
        expected = {"dtype": "f32", "shape": [3, 4], "memory": "inputs", "offset": 0}
        trials = {"seed": 42, "tolerance": 1e-4, "expected": expected}
        torch.manual_seed(42)
        seeds = [torch.randint(0, 2**32 - 1, (1,)).item() for _ in range(2)]
        with self.windows(problem(forward, init, top="s = []"), trials=trials) as windows:
            for number in range(2):
                self.assertEqual(windows.open(), Outcome.RAISED)
                self.assertIn(f"tensor({number + 1}), {seeds[: number + 1]}", windows.text)

    def test_a_call_that_raises(self) -> None:
        outcome, text, _ = self.one("raise ValueError('no ' + str(x.shape[0]))")
        self.assertEqual(outcome, Outcome.RAISED)
        self.assertTrue(text.startswith("ValueError: no 3 (candidate.py:11"), text)
        self.assertIn("Traceback", text)
        self.assertEqual(self.one("raise SystemExit(0)")[0], Outcome.RAISED)
        self.assertEqual(self.one("raise MemoryError")[0], Outcome.OUT_OF_MEMORY)
        self.assertEqual(self.one("raise OSError(28, 'full')")[0], Outcome.DISK_FULL)

    def test_a_candidate_that_does_not_load(self) -> None:
        for source, failure_class in (
            ("def", "load"),
            ("import torch", "load"),
            (problem("return x", "raise ValueError"), "setup"),
        ):
            with self.subTest(source=source[:20]), self.windows(source) as windows:
                self.assertEqual(windows.ready["failed"]["class"], failure_class)
                self.assertTrue(windows.ready["final"])

    def test_memory_has_no_numbers_that_were_not_written(self) -> None:
        """Small and large, fresh and freed before.

        Most of them, not each: small blocks that another thing had glibc may hand out as they are.
        It keeps up to seven of a size for that.
        """
        for size in (16, 1 << 10, 1 << 14, 1 << 20, 1 << 24):
            count = 30 if size < 1 << 20 else 5
            forward = (
                f"make = lambda: [torch.empty({size}, dtype=torch.uint8) for _ in range({count})]; "
                "filled = lambda some: sum(bool((a == 0x7f).all()) for a in some); "
                "some = make(); fresh = filled(some); [a.add_(1) for a in some]; "
                "del some; freed = filled(make()); "
                f"assert min(fresh, freed) > {count // 2}, (fresh, freed); return x"
            )
            with self.subTest(size=size):
                outcome, text, _ = self.one(forward, perturb=0x7F)
                self.assertEqual(outcome, Outcome.FINISHED, text)
                outcome, text, _ = self.one(forward)
                self.assertEqual(outcome, Outcome.RAISED, "without it")
                self.assertIn("(0, 0)", text)

    def test_an_input_can_not_be_written(self) -> None:
        source = problem("x.zero_(); return x", "self.layer = nn.Linear(4, 4)")
        with (
            judged(self.oracle, self.SOURCE) as judge,
            self.candidate.conversation(-signal.SIGSEGV) as runner,
        ):
            judge.build()
            with Windows(judge, runner, source.encode(), judge.sheet()) as windows:
                windows.go()
                with self.assertRaises(EndOfStream):
                    runner.hear()


if __name__ == "__main__":
    unittest.main()


class KeptTensors(unittest.TestCase):
    def test_what_is_returned_is_left_as_it_is(self) -> None:
        model = nn.Module()
        model.out, model.count = torch.zeros(3), torch.zeros(1)
        kept = Kept(model)
        for _ in range(2):
            model.out.fill_(7)
            model.count += 1
            written = kept.restore([model.out[:2], 3, torch.ones(1)])
            self.assertEqual(written, keys_of([model.count]))
            self.assertEqual(model.out.tolist(), [7, 7, 7])
            self.assertEqual(model.count.item(), 0)
        self.assertLessEqual(keys_of([model.out]), kept.restore())
        self.assertEqual(model.out.tolist(), [0, 0, 0])


class InPlace(Judged):
    """Windows whose results stay in the candidate's memory: what timing asks for."""

    @contextlib.contextmanager
    def windows(
        self, forward: str, init: str = "self.layer = nn.Linear(4, 4)", in_place: Any = True
    ) -> Iterator[Windows]:
        source = problem("return self.layer(x)", "self.layer = nn.Linear(4, 4)", inputs=INPUT)
        candidate = problem(forward, init)
        with judged(self.oracle, source) as judge, self.candidate.conversation() as runner:
            judge.build()
            judge.draw()
            sheet = judge.sheet(in_place=in_place)
            with Windows(judge, runner, candidate.encode(), sheet) as windows:
                self.assertTrue(windows.ready.get("ready"), windows.ready)
                yield windows
                self.assertEqual(windows.end(), {"final": True, "ok": {}})

    def call(self, windows: Windows) -> Outcome:
        self.assertEqual(windows.open(WindowKind.PREPARE), Outcome.FINISHED)
        windows.page.addresses[0] = 0
        return windows.open()

    def test_a_result_is_where_it_says(self) -> None:
        for forward in ("return self.layer(x)", "return self.layer(x).t().contiguous().t()"):
            with self.subTest(forward=forward), self.windows(forward) as windows:
                for _ in range(3):
                    self.assertEqual(self.call(windows), Outcome.FINISHED, windows.text)
                    self.assertGreater(windows.page.addresses[0], 0)
                    self.assertEqual(windows.open(WindowKind.TOLD), Outcome.FINISHED)
                    self.assertEqual(list(windows.page.outputs[0].shape[:2]), [3, 4])

    def test_what_is_odd_is_told_behind_the_call(self) -> None:
        for forward, said in (
            ("return x[:, :3]", "output 0 is f32[3, 3], not f32[3, 4]"),
            ("return 3.5", "output 0 is float, not a tensor"),
            ("return x, x", "it returns 2 values, not 1"),
            ("return x.to_sparse()", "layout"),
            ("return torch.empty(3, 4, device='meta')", "on the device meta"),
        ):
            with self.subTest(forward=forward), self.windows(forward) as windows:
                self.assertEqual(self.call(windows), Outcome.FINISHED)
                self.assertEqual(windows.open(WindowKind.TOLD), Outcome.ODD)
                self.assertIn(said, windows.text)

    def test_what_raises_is_told_at_once(self) -> None:
        with self.windows("raise ValueError('no')") as windows:
            self.assertEqual(self.call(windows), Outcome.RAISED)
            self.assertTrue(windows.text.startswith("ValueError: no (candidate.py:"), windows.text)

    def test_beside_its_calls_a_window_has_no_call(self) -> None:
        forward = "assert not hasattr(torch, 'called'); torch.called = 1; return self.layer(x)"
        for in_place in (None, True, "copied", "restored"):
            with (
                self.subTest(in_place=in_place),
                self.windows(forward, in_place=in_place) as windows,
            ):
                if in_place is not None:
                    self.assertEqual(windows.open(WindowKind.PREPARE), Outcome.FINISHED)
                self.assertEqual(windows.open(WindowKind.CALL), Outcome.FINISHED)
                for _ in range(2):
                    windows.page.addresses[0] = 0
                    self.assertEqual(windows.open(WindowKind.BESIDE), Outcome.FINISHED)
                    self.assertEqual(windows.page.addresses[0] != 0, in_place is not None)

    def test_what_a_call_changes_is_as_before_in_the_next(self) -> None:
        init = "self.layer = nn.Linear(4, 4); self.register_buffer('n', torch.zeros(()))"
        forward = "self.n += 1; assert float(self.n) == 1; return self.layer(x)"
        with self.windows(forward, init) as windows:
            for _ in range(3):
                self.assertEqual(self.call(windows), Outcome.FINISHED, windows.text)
