"""What an oracle says of a problem, over the real protocol."""

import contextlib
import math
import os
import subprocess
import sys
import time
import unittest
import unittest.mock
from collections.abc import Iterator
from typing import Any

import torch
from judging import Judge, judged
from serving import LESS, PYTHON, Conversation, Zygote, memory
from test_export import problem

from assay_worker import kernelbench
from assay_worker.on_cpu import OnCpu
from assay_worker.protocol import Message
from assay_worker.tensors import DTYPES_BY_WORD
from assay_worker.trail import Trail

INPUT = "def get_inputs():\n    return [torch.randn(3, 4)]"


class Asked(unittest.TestCase):
    oracle: Zygote

    @classmethod
    def setUpClass(cls) -> None:
        started = contextlib.ExitStack()
        cls.addClassCleanup(started.close)
        cls.oracle = started.enter_context(Zygote.started("oracle"))

    def described(self, source: str, **more: Any) -> Message:
        with judged(self.oracle, source, **more) as judge:
            return judge.described

    @contextlib.contextmanager
    def built(self, source: str, **more: Any) -> Iterator[Judge]:
        with judged(self.oracle, source, **more) as judge:
            self.assertIn("built", judge.build())
            yield judge


class Draws(Asked):
    """A draw that is told, drawn again, gives the very inputs of the file; the rest is unknown."""

    def draws(self, *inputs: str, before: str = "") -> list[Message]:
        source = f"def get_inputs():\n    {before}\n    return [{', '.join(inputs)}]"
        found = self.described(problem("return torch.ones(1)", inputs=source))
        given = kernelbench.load(problem("pass", inputs=source).encode(), "/x.py").get_inputs
        draws: list[Message] = found["draws"]
        for n, (draw, leaf) in enumerate(zip(draws, found["inputs"], strict=True)):
            if draw["draw"] is None or len(inputs) > 1:
                continue
            torch.manual_seed(5)
            with OnCpu(Trail()):
                wanted = given()[n]
            torch.manual_seed(5)
            again = drawn_again(draw, leaf)
            self.assertTrue(torch.equal(again, wanted), (draw, again, wanted))
            self.assertEqual(again.dtype, wanted.dtype)
        return draws

    def test_what_is_known(self) -> None:
        for written, told in (
            ("torch.rand(4, 5)", {"draw": "rand", "low": 0.0, "high": 1.0}),
            ("torch.randn(4, 5)", {"draw": "randn", "mean": 0.0, "std": 1.0}),
            ("torch.rand(4, 5) * 3.7 + 0.3", {"draw": "rand", "scale": 3.7, "shift": 0.3}),
            ("0.3 + torch.randn(99)", {"draw": "randn", "shift": 0.3}),
            ("2 - torch.rand(99)", {"draw": "rand", "scale": -1.0, "shift": 2}),
            ("(torch.rand(99) - 0.3) * 2", {"draw": "rand", "scale": 2.0, "shift": -0.6}),
            ("torch.rand(99) / 4", {"draw": "rand", "scale": 0.25}),
            ("-torch.rand(99)", {"draw": "rand", "scale": -1.0}),
            ("torch.rand(99).mul_(3).sub_(1)", {"draw": "rand", "scale": 3.0, "shift": -1.0}),
            ("torch.randint(3, 17, (4, 5))", {"draw": "randint", "low": 3, "high": 17}),
            ("torch.randint(17, (4,)).float()", {"draw": "randint", "low": 0, "high": 17}),
            ("torch.randint(low=1, high=9, size=(4,), dtype=torch.int32)", {"low": 1, "high": 9}),
            ("torch.randint(0, 2, (9,)).bool()", {"draw": "randint", "low": 0, "high": 2}),
            ("torch.zeros(4, dtype=torch.int32)", {"draw": "zeros", "dtype": "i32"}),
            ("torch.ones(4, 5).cuda()", {"draw": "ones"}),
            ("torch.full((4,), 2.5)", {"draw": "full", "value": 2.5}),
            ("torch.arange(2, 9, 2)", {"draw": "arange", "low": 2, "high": 9, "step": 2}),
            ("torch.arange(4.5)", {"draw": "arange", "low": 0, "high": 4.5, "step": 1}),
            ("torch.randperm(9)", {"draw": "randperm", "high": 9}),
            ("torch.randn(4, 5).half().contiguous()", {"draw": "randn", "dtype": "f32"}),
            ("torch.rand(4, dtype=torch.float64)", {"draw": "rand", "dtype": "f64"}),
            ("torch.empty(99).uniform_(-2, 3)", {"draw": "rand", "low": -2, "high": 3}),
            ("torch.empty(99).normal_(std=2)", {"draw": "randn", "mean": 0.0, "std": 2}),
            ("torch.normal(1.0, 2.0, (99,))", {"draw": "randn", "mean": 1.0, "std": 2.0}),
            ("torch.rand_like(torch.ones(3, 4))", {"draw": "rand"}),
        ):
            with self.subTest(written=written):
                (draw,) = self.draws(written)
                self.assertEqual(told, {key: draw.get(key) for key in told})

    def test_what_is_not_certain(self) -> None:
        for written in (
            "torch.rand(4).cumsum(0)",
            "torch.rand(4) > 0.5",
            "torch.rand(4, 5).t()",
            "torch.rand(4) / 10",
            "torch.rand(4) * 3 * 5",
            "torch.rand(4) + 1.1 + 1.3",
            "(torch.rand(4) * 10).long()",
            "torch.rand(4).double() * 3",
            "torch.rand(4) * torch.rand(4)",
            "torch.rand(4).add(1, alpha=2)",
            "torch.rand(4) * random.random()",
            "torch.rand(4)[torch.randperm(4)]",
            "torch.empty(4)",
            "torch.tensor([1.0, 2.0])",
            "torch.linspace(0, 1, 4)",
            "torch.softmax(torch.rand(4), 0)",
            "torch.rand(4, generator=torch.Generator())",
            "torch.from_numpy(numpy.random.rand(4))",
            "3",
        ):
            with self.subTest(written=written):
                before = "import random, numpy"
                self.assertEqual(self.draws(written, before=before), [{"draw": None}])

    def test_inputs_that_depend_on_each_other(self) -> None:
        before = "x = torch.rand(9); y = torch.rand(9); z = torch.rand(9)"
        for inputs in (
            ("x", "x"),
            ("x", "x * 2"),
            ("x", "x.argsort()"),
            ("x", "x.detach().mul_(2)"),
            ("x", "torch.ones(9).mul_(x).zero_()"),
        ):
            with self.subTest(inputs=inputs):
                self.assertEqual(self.draws(*inputs, before=before), [{"draw": None}] * 2)
        draws = self.draws("x", "y.exp()", "z", before=before)
        self.assertEqual([each["draw"] for each in draws], ["rand", None, "rand"])
        changed = before + "; x[0] = 1; v = y.view(3, 3); v += 1"
        draws = self.draws("x", "y", "z", before=changed)
        self.assertEqual([each["draw"] for each in draws], [None, None, "rand"])
        read = before + "; n = 2 if x.dim() == 1 and len(x) > 3 else 1"
        self.assertEqual(self.draws("x * n", before=read)[0]["scale"], 2)

    @contextlib.contextmanager
    def inputs(self, *inputs: str, before: str = "") -> Iterator[Judge]:
        source = f"def get_inputs():\n    {before}\n    return [{', '.join(inputs)}]"
        with self.built(problem("return torch.ones(1)", inputs=source)) as judge:
            yield judge

    def values(self, judge: Judge) -> list[Any]:
        return [judge.blocks["inputs"].tensor(each).tolist() for each in judge.inputs]

    def test_numbers_in_place_of_what_is_drawn(self) -> None:
        with self.inputs(
            "torch.tril(a)",
            "torch.arange(3.0)",
            "torch.empty(3).uniform_(5, 6).sort()[0]",
            "torch.randn(2) + a[0]",
            "torch.randn(0, 3).abs()",
            before="a = torch.rand(2, 2)",
        ) as judge:
            judge.draw()
            own = self.values(judge)
            judge.draw(numbers=[1, 2, 3, -4, 9, 8, 7, 0.5, -0.25])
            expected = [[[1, 0], [3, 4]], [0, 1, 2], [7, 8, 9], [1.5, 1.75], []]
            self.assertEqual(self.values(judge), expected)
            # From the first again, and some as they are drawn.
            judge.draw(numbers=[None, 2, 3, 4, 20])
            now = self.values(judge)
            self.assertEqual(now[0], [[own[0][0][0], 0], [3, 4]])
            self.assertEqual((now[2][0], now[2][2]), (2, 20))
            # In the range of each draw.
            judge.draw(numbers=[1000.0, -1000.0, 0.001, math.inf, 3], within=True)
            now = self.values(judge)
            self.assertTrue(all(0 <= x <= 1 for row in now[0] for x in row), now)
            self.assertTrue(all(5 <= x <= 6 for x in now[2]), now)

    def test_which_input_comes_of_which_numbers(self) -> None:
        before = "a = torch.rand(6, 6); b = torch.randn(6, 1); n = (torch.rand(6) * 6).long()"
        for inputs, told in (
            (["torch.tril(a)"], [(0, 36)]),
            (["(a + a.T) / 2", "torch.ones(3)"], [(0, 36), None]),
            (["b.expand(6, 6) * 1"], [(0, 6)]),
            # What became a mask is no number of it, nor what became a largest one.
            (["b * (a > 0.5)"], [(0, 6)]),
            (["a.amax(1, keepdim=True).repeat(1, 6)"], [(0, 6)]),
            # Nor is what another input comes from, or none.
            (["b.repeat(1, 6)", "a > 0.5", "torch.rand(99)"], [(0, 6), (1, 0), (2, 99)]),
            # Two that share are one.
            (["a.clone()", "a * 2 + 1"], [(0, 36), (0, 36)]),
            (["a.exp()", "a.mean()"], [(0, 36), (0, 36)]),
            (["n", "b * (torch.arange(6)[:, None] < n[:, None])"], [(0, 6), (0, 6)]),
            (["torch.zeros(6, 6).add_(a)"], [(0, 36)]),
        ):
            with self.subTest(inputs=inputs), self.inputs(*inputs, before=before) as judge:
                answer = judge.draw(numbers=[0.5, 1.5])["drawn"]["from"]
                found = [each and (each["group"], each["numbers"]) for each in answer]
                self.assertEqual(found, told)

    def test_the_trials_of_others(self) -> None:
        with self.inputs("torch.rand(3)") as judge:
            torch.manual_seed(42)
            for trial in range(3):
                judge.draw(seed=42, trial=trial)
                with torch.random.fork_rng():
                    torch.manual_seed(42)
                    for _ in range(trial + 1):
                        seed = torch.randint(0, 2**32 - 1, (1,)).item()
                    torch.manual_seed(int(seed))
                    self.assertEqual(self.values(judge), [torch.rand(3).tolist()])

    def test_another_interior(self) -> None:
        with self.inputs("torch.tril(torch.rand(24, 24))", "torch.rand(5).exp()") as judge:
            judge.draw()
            own, short = (torch.tensor(each) for each in self.values(judge))
            judge.draw(interior=True)
            now, short_now = (torch.tensor(each) for each in self.values(judge))
            self.assertFalse(torch.equal(own, now))
            self.assertFalse(torch.equal(short, short_now))
            self.assertTrue(torch.equal(own[:3], now[:3]) and torch.equal(own[:, -3:], now[:, -3:]))
            self.assertTrue(torch.equal(now, now.tril()))


def drawn_again(draw: Message, leaf: Message) -> torch.Tensor:
    """What a draw that is told means."""
    shape, dtype = leaf["shape"], DTYPES_BY_WORD[draw["dtype"]]
    x = torch.empty(shape, dtype=dtype)
    match draw["draw"]:
        case "rand" if (draw["low"], draw["high"]) == (0, 1):
            x = torch.rand(shape, dtype=dtype)
        case "rand":
            x.uniform_(draw["low"], draw["high"])
        case "randn":
            x.normal_(draw["mean"], draw["std"])
        case "randint":
            x = torch.randint(draw["low"], draw["high"], shape, dtype=dtype)
        case "randperm":
            x = torch.randperm(draw["high"])
        case "arange":
            x = torch.arange(draw["low"], draw["high"], draw["step"], dtype=dtype)
        case "zeros" | "ones" | "full" as word:
            x.fill_({"zeros": 0, "ones": 1}.get(word, draw.get("value")))
        case word:
            raise AssertionError(word)
    if "scale" in draw:
        x = x * draw["scale"]
    if "shift" in draw:
        x = x + draw["shift"]
    return x.to(DTYPES_BY_WORD[leaf["dtype"]])


class Computed(Asked):
    def computed(self, forward: str, init: str = "pass", fill: Any = None, **more: Any) -> Message:
        """Of a model whose one input is random, or what `fill` makes of it."""
        source = problem(forward, init, INPUT)
        with self.built(source, precision=more.pop("precision", "f32")) as judge:
            judge.draw()
            if fill:
                for leaf in judge.inputs:
                    fill(judge.blocks["inputs"].tensor(leaf))
            return judge.compute(**more)

    def test_the_reference_is_computed_in_double(self) -> None:
        """What single precision can't tell apart is told apart, whatever types the file names."""
        for forward in (
            "return (x + 1e-12) - x",
            "y = x.float(); return (y + torch.full((4,), 1e-12)) - y",
            "y = torch.zeros(3, 4); y += x; return (y + 1e-12) - x.to(torch.float32)",
            "y = x.to(dtype=torch.float16); return (y + 1e-12).float() - x",
            "return (x + self.eps) - x",
            "w = torch.ones(4, 4, dtype=torch.float32); return x @ w + 1e-12 - x @ w",
        ):
            with (
                self.subTest(forward=forward),
                self.built(problem(forward, "self.eps = torch.tensor(1e-12)", INPUT)) as judge,
            ):
                judge.draw()
                computed = judge.compute()
                self.assertEqual(computed["narrow"], [])
                (exact,) = judge.values("reference")
                self.assertEqual(exact.dtype, torch.float64)
                self.assertTrue(((exact - 1e-12).abs() < 1e-14).all(), exact)

    def test_several_slots_are_what_each_is_by_itself(self) -> None:
        source = problem(
            "more[0].add_(x.sum(0)); self.calls = self.calls + 1; return self.norm(x) * more[0]",
            "self.norm = nn.BatchNorm1d(4); self.calls = torch.zeros(1)",
            INPUT.replace("]", ", torch.rand(4)]"),
        )
        slots = 3
        with self.built(source, mode="train") as judge:
            blocks = judge.blocks
            sizes = {name: block.bytes for name, block in blocks.items() if name != "constants"}
            first: list[tuple[bytes, ...]] = []
            given: list[tuple[bytes, bytes]] = []
            for n in range(slots):
                judge.draw(seed=n)
                given.append((bytes(blocks["inputs"].memory), bytes(blocks["inout"].memory)))
                judge.compute()
                first.append(tuple(bytes(blocks[b].memory) for b in ("reference", "baseline")))
            self.assertEqual(len(set(first)), slots)
            apart = {name: blocks[name].repeat(slots) for name in sizes}
            self.assertEqual(apart, sizes)
            for n, (inputs, inout) in enumerate(given):
                for name, content in (("inputs", inputs), ("inout", inout)):
                    place = slice(n * apart[name], (n + 1) * apart[name])
                    blocks[name].memory[place] = content
            computed = judge.compute(slots=slots, slot_bytes=apart)
            self.assertEqual((computed["mutated_inputs"], computed["left"]), ([1], []))
            for n in range(slots):
                found = tuple(
                    bytes(blocks[b].memory[n * apart[b] : (n + 1) * apart[b]])
                    for b in ("reference", "baseline")
                )
                self.assertEqual(found, first[n])

    def test_several_slots_of_picks(self) -> None:
        source = problem("return (x * 0.1).topk(2)[1], x.argmax(1)", inputs=INPUT)
        slots = 3
        with self.built(source) as judge:
            blocks, keys = judge.blocks, []
            for leaf in judge.described["outputs"]:
                place = blocks["reference"].place(leaf["picks"], "f64")
                keys.append({**leaf["picks"], "dtype": "f64", "offset": place})
            apart = {name: blocks[name].repeat(slots) for name in blocks if name != "constants"}
            drawn: list[bytes] = []
            first: list[tuple[bytes, ...]] = []
            for n in range(slots):
                blocks["reference"].poison()
                judge.draw(seed=n)
                drawn.append(bytes(blocks["inputs"].memory[: apart["inputs"]]))
                self.assertEqual(judge.compute(keys=keys)["exact_keys"], [False, True])
                first.append(
                    tuple(bytes(blocks[b].memory[: apart[b]]) for b in ("reference", "baseline"))
                )
            self.assertEqual(len({reference for reference, _ in first}), slots)
            blocks["reference"].poison()
            for n, inputs in enumerate(drawn):
                blocks["inputs"].memory[n * apart["inputs"] : (n + 1) * apart["inputs"]] = inputs
            computed = judge.compute(keys=keys, slots=slots, slot_bytes=apart)
            self.assertEqual(computed["exact_keys"], [False, True] * slots)
            for n in range(slots):
                found = tuple(
                    bytes(blocks[b].memory[n * apart[b] : (n + 1) * apart[b]])
                    for b in ("reference", "baseline")
                )
                self.assertEqual(found, first[n])

    def test_what_stays_narrow_is_told(self) -> None:
        source = problem(
            "return self.table * 1 + x", "pass", INPUT, top="TABLE = torch.ones(4)"
        ).replace("self.table", "TABLE.view(torch.int32).view(torch.float32)")
        with self.built(source) as judge:
            judge.draw()
            self.assertIn("aten.view.dtype", judge.compute()["narrow"])

    def test_a_run_of_integers(self) -> None:
        def integers(x: torch.Tensor) -> None:
            x.copy_(torch.randint(-9, 10, x.shape))

        init = "self.w = nn.Parameter(torch.randint(-3, 4, (4, 5)).float())"
        for forward, why in (
            ("return (x @ self.w).relu().sum(1)", ""),
            ("return torch.cat([x, -x]).amax(0) * 2 + 1", ""),
            ("return x.exp()", "exp gives numbers that are no integers"),
            ("return (x * 0.5) * 2", "mul gives numbers"),
            ("return (x - x).exp()", "exp is not known to keep integers"),
            ("return x.softmax(-1).round()", "_softmax gives"),
            ("return x * 4000 * 1000", "mul gives numbers that are no integers below 16777216"),
            ("return torch.stack([x * 0 + 9000000, x * 0 - 9000000]).sum()", "sum sums magnitudes"),
            ("return x * 0 * 2.5", "mul takes a number that is no integer"),
        ):
            with self.subTest(forward=forward):
                found = self.computed(forward, init, integers, integers=True)
                self.assertIn(why, found.get("not_integers", ""), found)
                self.assertEqual(found.get("integers", False), not why, found)
        found = self.computed("return x * 300", init, integers, integers=True, precision="bf16")
        self.assertIn("below 256", found["not_integers"])

    def test_what_a_call_does(self) -> None:
        self.assertTrue(self.computed("return x * torch.rand(4)")["draws"])
        self.assertTrue(self.computed("import random; return x * random.random()")["draws"])
        self.assertFalse(self.computed("return x * 2")["draws"])
        found = self.computed("self.n += 1; return x * 2", "self.n = 0")
        self.assertEqual(found["left"], ["self.n"])
        found = self.computed("self.w.add_(1); return x", "self.w = nn.Parameter(torch.ones(1))")
        self.assertEqual(found["left"], ["w"])
        self.assertGreater(found["peak_bytes"], 1 << 20)
        self.assertGreater(found["double_ns"], 0)
        self.assertNotIn("double_ns", self.computed("return x * 2", double=False))

    def test_equal_elements_in_another_order(self) -> None:
        """A mask of the largest: another where elements are equal, the same where none are."""
        forward = "return torch.zeros_like(x).scatter(1, x.topk(2)[1], 1.0) + x"
        for values, moves in (([1.0, 1, 1, 1], True), ([4.0, 3, 2, 1], False)):
            with self.subTest(values=values), self.built(problem(forward, inputs=INPUT)) as judge:
                judge.blocks["inputs"].tensor(judge.inputs[0]).copy_(torch.tensor(values))
                judge.compute(from_picks=True)
                exact = judge.values("reference")[0].clone()
                judge.compute(shake=2)
                (shaken,) = judge.values("reference")
                self.assertEqual(bool((exact != shaken).any()), moves, shaken)
                self.assertEqual(float(exact.sum()), float(shaken.sum()))

    def test_what_algorithms_may_spread(self) -> None:
        """In the row of a product, in the image of a convolution, and not behind a guard."""
        nan, inf = float("nan"), float("inf")
        convolution = "nn.functional.conv1d(x[None], torch.ones(3, 3, 2))[0]"
        product = "x @ torch.ones(4, 2)"
        row = [[1.0, 1, 1, inf], [1, 1, 1, 1], [1, 1, 1, 1]]
        for forward, kinds, places in (
            (product, [[nan] * 2, [4] * 2, [4] * 2], [[inf] * 2, [4] * 2, [4] * 2]),
            (f"torch.tril({product})", [[nan, 0], [4, 4], [4, 4]], [[inf, 0], [4, 4], [4, 4]]),
            (f"torch.relu(-{product})", [[nan] * 2, [0] * 2, [0] * 2], [[0] * 2] * 3),
            (convolution, [[nan] * 3] * 3, [[nan, nan, inf]] * 3),
            (f"torch.relu(-{convolution})", [[nan] * 3] * 3, [[nan, nan, 0]] * 3),
            ("x * 2", [[2.0, 2, 2, inf], [2] * 4, [2] * 4], [[2.0, 2, 2, inf], [2] * 4, [2] * 4]),
        ):
            source = problem(f"return {forward}", inputs=INPUT)
            with self.subTest(forward=forward), self.built(source) as judge:
                judge.blocks["inputs"].tensor(judge.inputs[0]).copy_(torch.tensor(row))
                for spread, wanted in (("kinds", kinds), ("places", places)):
                    judge.compute(spread=spread)
                    (found,) = judge.values("reference")
                    expected = torch.tensor(wanted, dtype=torch.float64)
                    self.assertTrue(torch.equal(found.nan_to_num(7), expected.nan_to_num(7)), found)

    def test_what_is_picked_from_nothing_finite(self) -> None:
        """From infinity as from NaN, where there is nothing else; and from anything else not."""
        inf = float("inf")
        with self.built(problem("return x.argmax(1), x.max(1)[1] * 2", inputs=INPUT)) as judge:
            x = judge.blocks["inputs"].tensor(judge.inputs[0])
            x.copy_(torch.tensor([[-inf, -inf, inf, inf], [1, 2, inf, 3], [4, 3, 2, 5]]))
            for more, wanted in (
                ({"spread": "picks"}, [0, 2, 3]),
                ({"spread": "kinds"}, [2, 2, 3]),
            ):
                judge.compute(**more)
                first, second = judge.values("reference")
                self.assertEqual(first.tolist(), wanted)
                self.assertEqual(second.tolist(), [2 * each for each in wanted])

    def test_attention_is_computed_by_its_products(self) -> None:
        attention = "nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)"
        with self.built(problem(f"return {attention}", inputs=INPUT)) as judge:
            x = judge.blocks["inputs"].tensor(judge.inputs[0])
            x.copy_(torch.eye(3, 4))
            x[2, 3] = float("inf")
            judge.compute(spread="kinds")
            (found,) = judge.values("reference")
            self.assertTrue(bool(found[2].isnan().all()), found)

    def test_a_call_that_fails(self) -> None:
        with self.built(
            problem("assert x.element_size() == 4, 'single only'; return x", inputs=INPUT)
        ) as judge:
            judge.draw()
            with self.assertRaisesRegex(
                AssertionError, "unsupported.*in double precision.*single only"
            ):
                judge.compute()
            judge.compute(double=False)  # the conversation goes on

    def test_a_number_that_depends_on_data(self) -> None:
        """Also where no operation was seen that reads it."""
        self.computed("return x, x.shape[0], None, 'text', float('nan')")
        with self.assertRaisesRegex(AssertionError, "unsupported.*output 1 is .* before"):
            self.computed("return x, x.tolist()[0][0]")

    def test_a_call_that_gives_something_else_each_time(self) -> None:
        for forward, init, name in (
            ("self.n += 1; return x * self.n", "self.n = 0", "self.n"),
            (
                "self.w.data.mul_(2); return x * self.w",
                "self.w = nn.Parameter(torch.ones(1))",
                "a parameter",
            ),
        ):
            with (
                self.subTest(name),
                self.assertRaisesRegex(AssertionError, f"unsupported.*it changes {name}"),
            ):
                self.computed(forward, init)

    def test_state_from_memory(self) -> None:
        source = problem("return self.n(x) + self.h", NORM, INPUT)
        with self.built(source) as judge:
            judge.draw()
            for each in judge.state:
                judge.blocks["constants"].tensor(each).fill_(3)
            answer = judge.oracle.ask(
                {"do": "load", "state": judge.state}, *judge.descriptors("constants")
            )
            self.assertEqual(answer, {"loaded": {}})
            judge.compute()
            x = judge.blocks["inputs"].tensor(judge.inputs[0]).double()
            wanted = (x - 3) / (3 + 1e-5) ** 0.5 * 3 + 6
            torch.testing.assert_close(judge.values("reference")[0], wanted)


NORM = "self.n = nn.BatchNorm1d(4); self.h = torch.zeros(4)"


class OlderProcessor(unittest.TestCase):
    """Without VNNI, the product of int8 that torch has of oneDNN saturates."""

    def test_the_reference_is_exact(self) -> None:
        inputs = (
            "def get_inputs():\n"
            "    return [torch.randint(-128, 128, size, dtype=torch.int8)"
            " for size in ((67, 129), (129, 45))]"
        )
        source = problem("return torch._int_mm(x, more[0])", inputs=inputs)
        with (
            unittest.mock.patch.dict(os.environ, {LESS: "AVX2"}),
            Zygote.started("oracle") as oracle,
            judged(oracle, source) as judge,
        ):
            self.assertIn("built", judge.build())
            judge.draw()
            judge.compute()
            a, b = (judge.blocks["inputs"].tensor(leaf).long() for leaf in judge.inputs)
            (reference,) = judge.values("reference")
            self.assertTrue(torch.equal(reference.long(), a @ b))
            (baseline,) = judge.values("baseline")
            if torch.equal(baseline.long(), a @ b):
                self.skipTest("torch is right here, too")


class Described(Asked):
    def test_state(self) -> None:
        init = NORM + "; self.l = nn.Linear(4, 4); self.m = self.l; self.register_buffer('b',"
        init += " torch.ones(2, dtype=torch.int32), persistent=False)"
        found = self.described(problem("return self.n(x) + self.h", init, INPUT), mode="train")
        state = {each["name"]: each for each in found["state"]}
        self.assertEqual(
            [(each["name"], each["kind"]) for each in found["state"]][:2],
            [("n.weight", "parameter"), ("n.bias", "parameter")],
        )
        self.assertEqual(state["h"], {"name": "h", "kind": "other", "dtype": "f32", "shape": [4]})
        self.assertEqual(state["b"]["kind"], "other")
        self.assertTrue(state["n.running_var"]["changed"])
        self.assertEqual(found["state"][state["m.weight"]["same_as"]]["name"], "l.weight")

    def test_what_products_take(self) -> None:
        for forward, init, flops in (
            ("return x.relu()", "pass", 0),
            ("return x @ x.t()", "pass", 2 * 3 * 3 * 4),
            ("return self.layer(x)", "self.layer = nn.Linear(4, 5)", 2 * 3 * 4 * 5),
            ("return x.mv(x[0]), x[0].dot(x[1])", "pass", 2 * 3 * 4 + 2 * 4),
            ("return self.c(x[None])", "self.c = nn.Conv1d(3, 6, 3, padding=1)", 2 * 3 * 6 * 3 * 4),
            (
                "return nn.functional.scaled_dot_product_attention(*(x[None, None],) * 3)",
                "pass",
                4 * 3 * 3 * 4,
            ),
            ("return self.gru(x)[0]", "self.gru = nn.GRU(4, 5)", None),
            ("return self.lstm(x)[0]", "self.lstm = nn.LSTM(4, 5)", None),
            ("return self.b(x, x)", "self.b = nn.Bilinear(4, 4, 2)", None),
        ):
            with self.subTest(forward):
                found = self.described(problem(forward, init, INPUT))["flops"]
                self.assertEqual(found, flops)

    def test_bytes_without_data(self) -> None:
        inputs = "def get_inputs():\n    return [torch.randn(1 << 20, 1 << 12)]"
        found = self.described(problem("return (x + 1).relu().sum(1)", inputs=inputs))
        self.assertEqual(found["bytes"]["inputs"], 1 << 34)
        self.assertEqual(found["bytes"]["outputs"], 1 << 22)
        self.assertEqual(found["bytes"]["forward"], 1 << 35)
        self.assertEqual(found["bytes"]["double"], (1 << 36) + (1 << 35))

    def test_order_of_equal_elements(self) -> None:
        of_rows = {"call": 0, "shape": [3, 4], "dim": 1, "each_once": True, "first": False}
        once = {**of_rows, "each_once": False}
        first = {**once, "first": True}
        for forward, said in {
            "torch.topk(x, 2)": [{}, {"picks": of_rows}],
            "torch.sort(x, 0)": [{}, {"picks": {**of_rows, "dim": 0}}],
            "torch.argsort(x, descending=True)": [{"picks": of_rows}],
            "torch.median(x, 1)": [{}, {"picks": once}],
            "torch.median(x, 1, keepdim=True)[1].squeeze().int()": [{"picks": once}],
            "x.topk(2)[1], x.exp().topk(1)[1]": [
                {"picks": of_rows},
                {"picks": {**of_rows, "call": 1}},
            ],
            "x.topk(2)[1] + 1": [{"order_open": True}],
            "x.sort(1)[1][:, :2], x.sort(1)[1][:, 1]": [
                {"picks": of_rows},
                {"picks": {**of_rows, "call": 1}},
            ],
            "x.sort(1)[1][:, 1:3].contiguous().int()": [{"picks": of_rows}],
            "x.sort(0)[1][:2]": [{"picks": {**of_rows, "dim": 0}}],
            "x.topk(2)[1][:2]": [{"order_open": True}],
            "x.topk(2)[1].reshape(2, 3)": [{"picks": of_rows}],
            "x.topk(2)[1].t()": [{"order_open": True}],
            "x.topk(2)[1].add_(1)": [{"order_open": True}],
            "x.new_zeros(3, 2, dtype=torch.long).copy_(x.topk(2)[1])": [{"order_open": True}],
            "x.gather(1, x.topk(2)[1]), x.long(), x.topk(2)[1]": [
                {"order_open": True},
                {},
                {"picks": of_rows},
            ],
            "torch.sort(x, stable=True)": [{}, {"picks": {**of_rows, "first": True}}],
            "torch.argmax(x, 1)": [{"picks": first}],
            "torch.argmin(x)": [{"picks": {**first, "shape": [12], "dim": 0}}],
            "x.max(1)": [{}, {"picks": first}],
            "x.max(), x.argmax(1) + 1, x.argmax(1).add_(1)": [
                {},
                {"order_open": False},
                {"order_open": False},
            ],
        }.items():
            with self.subTest(forward):
                found = self.described(problem(f"return {forward}", inputs=INPUT))
                known = [
                    {k: v for k, v in leaf.items() if k in ("picks", "order_open")}
                    for leaf in found["outputs"]
                ]
                # The number of a call is told by those before it.
                for leaf in known[2:]:
                    leaf.get("picks", {})["call"] = 0
                self.assertEqual(known, said)

    def test_a_long_sequence_takes_no_time(self) -> None:
        """And has the shapes that real data gives."""
        self.described(problem("return x", inputs=INPUT))  # now the zygote is ready
        for batch_first, sizes in ((True, "7, 2000, 4"), (False, "2000, 7, 4"), (True, "2000, 4")):
            for layer in ("GRU", "RNN", "LSTM"):
                with self.subTest(layer=layer, sizes=sizes):
                    init = f"self.r = nn.{layer}(4, 5, 2, batch_first={batch_first})"
                    inputs = INPUT.replace("3, 4", sizes)
                    forward = "o, h = self.r(x); return o, h[0]"
                    begun = time.monotonic()
                    with self.built(problem(forward, init, inputs)) as judge:
                        self.assertLess(time.monotonic() - begun, 10)
                        judge.draw()
                        judge.compute(double=False)

    def test_arguments_that_have_no_words(self) -> None:
        source = problem("return x", inputs=INPUT).replace("__init__(self)", "__init__(self, _)")
        source += "\ndef get_init_inputs():\n    return [{1, 2}]\n"
        tree = self.described(source)["init_tree"]
        self.assertIn("set", tree["unsupported"])

    def test_what_is_broken(self) -> None:
        with self.oracle.conversation() as conversation:
            self.broken(conversation)
            self.assertEqual(conversation.ask({"do": "end"}), {"final": True, "ok": {}})

    def broken(self, conversation: Conversation) -> None:
        for source, word, said in (
            ("def", "failed", "load"),
            (problem("return x", "raise ValueError"), "failed", "setup"),
            (problem("raise ValueError"), "failed", "exception"),
            (problem("return 3"), "unsupported", "no tensor"),
            (problem("return torch.fft.fft(x)"), "unsupported", "output 0 is torch.complex64"),
            (problem("return x, float(x.sum())"), "unsupported", "output 1 is a number"),
            (problem("return x, bool((x > 2).any())"), "unsupported", "output 1 is a number"),
            (
                problem("return x", "self.register_buffer('w', torch.ones(2).to(torch.uint16))"),
                "unsupported",
                "its 'w' is torch.uint16",
            ),
        ):
            with memory(source) as file:
                request = {"do": "describe", "path": "/x/p.py", "mode": "eval"}
                answer = conversation.ask({**request, "precision": "f32"}, file)
            self.assertIn(said, str(answer.get(word)), answer)
            self.assertNotIn("final", answer)

    def test_what_is_other_with_data_than_without(self) -> None:
        top = "import random, time; SIZE = time.monotonic_ns()"
        source = problem(
            "return x[:1]",
            "self.w = nn.Parameter(torch.ones(SIZE % 999983))",
            "def get_inputs():\n    return [torch.rand(SIZE % 999979)]",
            top,
        )
        with judged(self.oracle, source) as judge:
            self.assertIn("is now what was", judge.build()["failed"]["error"])
            judge.state = []
            self.assertIn("built", judge.build())
            self.assertIn("is now what was", judge.draw()["failed"]["error"])

    def test_smaller_sizes(self) -> None:
        top = "BATCH, WIDTH = 4096, 8 * 64  # comment\nDEPTH: int = 3"
        inputs = "def get_inputs():\n    return [torch.randn(BATCH, WIDTH)]"
        source = problem(
            "return self.layer(x)", "self.layer = nn.Linear(WIDTH, WIDTH)", inputs, top
        )
        with judged(self.oracle, source, 2 << 20) as judge:
            self.assertEqual(list(judge.constants), ["BATCH"])
            rows, width = judge.described["inputs"][0]["shape"]
            self.assertEqual((rows, width), (judge.constants["BATCH"], 512))
            self.assertIn("built", judge.build())
            judge.draw()
            judge.compute()
        with judged(self.oracle, source, 1 << 17) as judge:
            self.assertLess(judge.described["inputs"][0]["shape"][1], 512)
            answer = judge.oracle.ask({"do": "describe", "constants": {"DEEP": 1}})
            self.assertIn("'DEEP'", answer["unsupported"]["reason"])

    def test_sizes_that_go_together(self) -> None:
        inputs = "def get_inputs():\n    return [torch.randn(ROWS, WIDTH), torch.randn(ROWS)]"
        for sizes, body in (
            ("ROWS = 2048\nWIDTH = 2048", "return x * more[0]"),
            ("ROWS = 4096\nWIDTH = 1024", "return x * more[0].view(4, -1)[0]"),
        ):
            source = problem(body, "pass", inputs, sizes)
            with self.subTest(body), judged(self.oracle, source, 1 << 17) as judge:
                size = judge.described["bytes"]
                self.assertLessEqual(size["inputs"] + size["outputs"], 1 << 17)
                self.assertEqual(set(judge.constants), {"ROWS", "WIDTH"})


class Images(unittest.TestCase):
    def test_no_exporter_where_candidates_run(self) -> None:
        for image in ("oracle", "candidate"):
            code = (
                f"import sys; from assay_worker import {image}; "
                "print([name for name in sys.modules if name.split('.')[0] == 'iree'])"
            )
            ran = subprocess.run(
                [sys.executable, "-s", "-c", code],
                cwd=PYTHON,
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertEqual(ran.stdout, "[]\n", image)


if __name__ == "__main__":
    unittest.main()
