"""What a program is given, gives back and keeps: exported, compiled, and called as torch is."""

import unittest
from typing import Any

import torch
from compiling import Compiled, Eager, difference
from test_export import Served, problem
from torch.utils import _pytree as pytree

from assay_worker.trail import Trail

INPUT = "def get_inputs():\n    return [torch.randn(3, 4)]"


class Called(Served):
    """Compares programs with eager, call by call."""

    def same(self, source: str, calls: int = 1, **job: Any) -> dict[str, Any]:
        """Exports, compiles, calls so often in a row and compares each call; the description."""
        outcome = self.ok(source, **job)
        ok: dict[str, Any] = outcome.answer["ok"]
        eager = Eager.of(source, job.get("mode") == "train")
        named = {name: tensor.clone() for name, tensor in eager.parameters().items()}
        program = Compiled(outcome.mlir, named)
        state = [named[each["name"]] for each in ok["state"]]
        results = sum("shape" in each for each in ok["outputs"])
        for call in range(calls):
            given = [tensor.clone() for tensor in eager.tensors()]
            got = program(*given, *state)
            wanted = eager.outputs()
            self.assertEqual(difference(got[:results], wanted), "", f"call {call}")
            state = got[results : results + len(state)]
            held = eager.parameters()
            kept = [held[each["name"]] for each in ok["state"]]
            self.assertEqual(difference(state, kept), "", f"state after call {call}")
            changed = [pytree.tree_leaves(eager.inputs)[n] for n in ok["mutated_inputs"]]
            self.assertEqual(difference(got[results + len(state) :], changed), "")
        return ok


class Calls(Called):
    def test_a_hidden_state_in_an_attribute(self) -> None:
        source = problem(
            "self.h = torch.tanh(self.h + x); return self.h",
            "self.h = torch.zeros(3, 4)",
            INPUT,
        )
        ok = self.same(source, calls=3)
        self.assertEqual(ok["state"], [{"name": "h", "shape": [3, 4], "dtype": "f32"}])
        self.assertEqual(ok["passes"], [{"name": "tensor_attributes", "changed": ["h"]}])
        self.assertEqual(ok["parameters"]["count"], 0)

    def test_buffers_changed_in_place(self) -> None:
        init = "self.register_buffer('n', torch.zeros(4)); self.k = torch.ones(4); self.n += 2"
        ok = self.same(
            problem("self.n.add_(x.sum(0)); self.k *= 2; return x + self.n", init, INPUT), 2
        )
        self.assertEqual({each["name"] for each in ok["state"]}, {"n", "k"})

    def test_a_buffer_that_is_not_persistent(self) -> None:
        init = "self.register_buffer('n', torch.arange(4.0), persistent=False)"
        self.same(problem("return x * self.n", init, INPUT))
        ok = self.same(problem("self.n.mul_(0.5); return x * self.n", init, INPUT), 2)
        self.assertEqual([each["name"] for each in ok["state"]], ["n"])

    def test_running_statistics_in_train_mode(self) -> None:
        for layer in ("BatchNorm1d(4)", "InstanceNorm1d(3, affine=True, track_running_stats=True)"):
            with self.subTest(layer=layer):
                inputs = INPUT.replace("3, 4", "2, 3, 4" if "Inst" in layer else "3, 4")
                source = problem("return self.norm(x)", f"self.norm = nn.{layer}", inputs)
                ok = self.same(source, 2, mode="train")
                names = [each["name"] for each in ok["state"]]
                self.assertIn("norm.running_mean", names)
                self.assertEqual(self.same(source, mode="eval")["state"], [])

    def test_a_changed_argument(self) -> None:
        source = problem(
            "x.mul_(2); more[0].add_(x); return x + 1",
            inputs=INPUT.replace("]", ", 3, torch.ones(4)]"),
        )
        source = source.replace("more[0].add_", "more[1].add_").replace(
            ".add_(x)", ".add_(x.sum(0))"
        )
        ok = self.same(source)
        self.assertEqual(ok["mutated_inputs"], [0, 2])

    def test_a_weight_as_result(self) -> None:
        self.same(problem("return self.w, x, x", "self.w = nn.Parameter(torch.rand(4))", INPUT))

    def test_results_of_all_kinds(self) -> None:
        ok = self.same(
            problem(
                "return {'a': (x > 0, [x.long()]), 'n': None, 's': x.shape[0], 't': 'x'}",
                inputs=INPUT,
            )
        )
        self.assertEqual(
            [each.get("scalar", each.get("dtype")) for each in ok["outputs"]],
            ["bool", "i64", "none", "int", "str"],
        )
        self.assertEqual(
            [each.get("value") for each in ok["outputs"]], [None, None, "None", "3", "'x'"]
        )

    def test_arguments_of_all_kinds(self) -> None:
        inputs = """def get_inputs():
    nested = {'i': torch.arange(4), 'm': (torch.ones(4) > 0, None)}
    return [torch.rand(3, 4), nested, 2, 'up']"""
        forward = (
            "d, k, s = more; y = x[:, d['i'].flip(0)] * k; "
            "return y.masked_fill(~d['m'][0], 0.0) + len(s)"
        )
        ok = self.same(problem(forward, inputs=inputs))
        self.assertEqual(
            [each.get("dtype") for each in ok["inputs"]], ["f32", "i64", "bool", None, None, None]
        )

    def test_a_device_in_the_file(self) -> None:
        for init, forward in (
            ("self.w = nn.Parameter(torch.ones(4, device='cuda'))", "return x * self.w"),
            ("self.l = nn.Linear(4, 4).cuda()", "return self.l(x)"),
            ("self.l = nn.Linear(4, 4).to('cuda:0')", "return self.l(x)"),
            ("self.l = nn.Linear(4, 4).to(device=torch.device('cuda'))", "return self.l(x)"),
            ("pass", "return x.cuda() + torch.zeros(4, device=torch.device('cuda', 0))"),
            ("pass", "return x.to('cuda', torch.float64) + torch.arange(4).to(0)"),
        ):
            with self.subTest(init=init, forward=forward):
                outcome = self.ok(problem(forward, init, INPUT))
                self.assertEqual(outcome.answer["ok"]["fallbacks"], ["device_ignored"])
                self.assertNotIn(b"cuda", outcome.mlir)

    def test_a_default_device_in_the_file(self) -> None:
        source = problem(
            "return x + torch.ones(4)", inputs=INPUT, top="torch.set_default_device('cuda')"
        )
        self.assertEqual(self.ok(source).answer["ok"]["fallbacks"], ["device_ignored"])


class SharedMemory(Called):
    def test_what_is_changed_in_place_is_refused(self) -> None:
        views = "    t = torch.rand(4, 4)\n    return "
        for init, forward, inputs, names in (
            ("pass", "x.add_(1); return x + more[0]", "[t, t[0]]", "input 0 and input 1"),
            ("pass", "more[0].add_(1); return x + more[0]", "[t, t[0]]", "input 0 and input 1"),
            ("pass", "x.add_(1); return x + more[0]", "[t, t]", "changes input 0"),
            (
                "self.a = torch.rand(4); self.b = self.a.view(2, 2)",
                "self.b.add_(1); return self.a + x",
                "[t]",
                "`a` and `b`",
            ),
            (
                "self.w = nn.Parameter(torch.rand(4)); self.b = self.w.detach()[:2]",
                "self.b.add_(1); return self.w + x",
                "[t]",
                "`w` and `b`",
            ),
        ):
            with self.subTest(forward=forward, inputs=inputs):
                given = f"def get_inputs():\n{views}{inputs}"
                reason = self.unsupported(problem(forward, init, given))
                self.assertIn(names, reason)
                self.assertIn("clone()", reason)

    def test_what_is_only_read_is_taken(self) -> None:
        inputs = "def get_inputs():\n    t = torch.rand(4, 4)\n    return [t, t[0], t, t[1]]"
        init = "self.a = torch.rand(4); self.b = self.a.view(2, 2)"
        self.same(problem("return x * more[0] - more[1] + more[2] @ self.a", init, inputs))


class Precisions(Served):
    def test_model_inputs_and_what_forward_makes_are_cast(self) -> None:
        init = (
            "self.l = nn.Linear(4, 4); self.t = torch.ones(4); "
            "self.register_buffer('i', torch.arange(4))"
        )
        forward = "return self.l(x) + torch.zeros(4) + self.t, self.i + 1, torch.zeros(2)"
        for word in ("f16", "bf16", "f64", "f32"):
            with self.subTest(precision=word):
                ok = self.ok(problem(forward, init, INPUT), precision=word).answer["ok"]
                self.assertEqual(ok["inputs"], [{"shape": [3, 4], "dtype": word}])
                self.assertEqual([each["dtype"] for each in ok["outputs"]], [word, "i64", word])

    def test_a_cast_program_computes(self) -> None:
        source = problem("return self.l(x) * 2", "self.l = nn.Linear(4, 4)", INPUT)
        for word, dtype in (("f16", torch.float16), ("f64", torch.float64)):
            with self.subTest(precision=word):
                eager = Eager.of(source)
                eager.model.to(dtype)
                x = eager.tensors()[0].to(dtype)
                mlir = self.ok(source, precision=word).mlir
                with torch.no_grad():
                    wanted = [eager.model(x)]
                self.assertEqual(difference(Compiled(mlir, eager.parameters())(x), wanted), "")


class Values(Served):
    """Models that compute with values while they are built."""

    def fallbacks(self, source: str, **job: Any) -> list[str]:
        words: list[str] = self.ok(source, **job).answer["ok"]["fallbacks"]
        return words

    def test_item_in_init(self) -> None:
        init = "self.rates = [r.item() for r in torch.linspace(0, 0.5, 3)]"
        source = problem("return x * self.rates[1]", init, INPUT)
        outcome = self.ok(source)
        self.assertEqual(outcome.answer["ok"]["fallbacks"], ["small_real"])
        eager = Eager.of(source)
        got = Compiled(outcome.mlir, {})(*eager.tensors())
        self.assertEqual(difference(got, eager.outputs()), "")

    def test_a_table_in_a_list(self) -> None:
        init = "self.tables = [torch.arange(4.0) * 2]; self.big = nn.Linear(1 << 20, 1 << 20)"
        source = problem("return x + self.tables[0]", init, INPUT)
        outcome = self.ok(source)
        self.assertEqual(outcome.answer["ok"]["fallbacks"], ["small_real"])
        self.assertIn(b"000000000000004000008040", outcome.mlir)  # 0, 2, 4, ...

    def test_tensors_without_a_storage(self) -> None:
        for made in (
            "torch.eye(4).to_sparse()",
            "torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.5, 2.5], (2, 2))",
            "torch.eye(4).to_sparse_csr()",
        ):
            with self.subTest(made=made):
                source = problem("return x * self.k", f"self.k = {made}.to_dense().sum().item()")
                outcome = self.ok(source)
                self.assertEqual(outcome.answer["ok"]["fallbacks"], ["small_real"])
                self.assertIn(b"constant.float 4.0", outcome.mlir)

    def test_what_a_build_without_values_left_in_the_file_is_forgotten(self) -> None:
        table = "def table(n):\n    return torch.arange(float(n))"
        for top, init in (
            (f"import functools\n@functools.lru_cache\n{table}", "self.k = table(4).sum().item()"),
            (
                f"TABLES = {{}}\n{table}",
                "self.k = TABLES.setdefault('k', table(4)).sum().item()",
            ),
            (
                "",
                "M = Model; M.n = getattr(M, 'n', 5) + 1; self.k = torch.full((), M.n).item()",
            ),
        ):
            with self.subTest(init=init):
                outcome = self.ok(problem("return x * self.k", init, INPUT, top))
                self.assertEqual(outcome.answer["ok"]["fallbacks"], ["small_real"])
                self.assertRegex(outcome.mlir, rb"constant\.(int|float) 6")

    def test_a_file_that_can_be_loaded_once_is_built_as_it_is(self) -> None:
        top = (
            "torch.set_default_device('cuda')\n"
            "LIBRARY = torch.library.Library('assay_test_once', 'DEF')\n"
            "LIBRARY.define('twice(Tensor x) -> Tensor')"
        )
        outcome = self.ok(
            problem("return x * self.k", "self.k = torch.ones(3).sum().item()", top=top)
        )
        self.assertEqual(outcome.answer["ok"]["fallbacks"], ["device_ignored", "small_real"])

    def test_words_of_an_earlier_trace_are_forgotten(self) -> None:
        trail = Trail()
        for word in (None, "small_real", "real"):
            trail.begin_again(word)
            for each in ("device_ignored", "other_random", "first_call"):
                trail.fell_back(each)
        trail.begin_again(None)
        self.assertEqual(trail.describe([])["fallbacks"], ["device_ignored", "small_real", "real"])

    def test_large_values_take_what_they_are_given(self) -> None:
        init = "self.n = int(torch.ones(1 << 20).sum().item())"
        source = problem("return x * self.n", init, INPUT)
        self.assertIn("DataDependentOutput", self.failed("setup", source)["error"])
        self.assertEqual(self.fallbacks(source, real_bytes=16 << 20), ["small_real", "real"])
        reason = self.unsupported(source, real_bytes=1 << 20)
        self.assertIn("with 1048576 bytes", reason)
        self.assertIn("may take 41943", reason)

    def test_unknown_values_never_pass_for_known_ones(self) -> None:
        # The small table is real; what is written into it comes from one too large to be.
        init = "t = torch.zeros(4); t.copy_(torch.ones(1 << 20)[:4] * 3); self.t = [t]"
        source = problem("return x + self.t[0]", init, INPUT)
        self.assertIn("writes what has no values", self.failed("setup", source)["error"])
        outcome = self.ok(source, real_bytes=64 << 20)
        self.assertIn(b"00004040000040400000404000004040", outcome.mlir)


if __name__ == "__main__":
    unittest.main()
