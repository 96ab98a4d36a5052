"""The export role from end to end: a real zygote, a forked worker, sockets and memfds."""

import contextlib
import hashlib
import unittest
from typing import Any

from serving import (
    EXPORT,
    STAND_IN,
    Outcome,
    Serving,
    Zygote,
    content,
    memory,
    part_of_tour,
    process,
)

HEAD = """import os, sys
import torch
from torch import nn
"""
INPUTS = """
def get_inputs():
    return [torch.rand(2, 4)]
"""


def problem(forward: str, init: str = "pass", inputs: str = INPUTS, top: str = "") -> str:
    """A workload of four parts; line 9 of it is `init`, line 11 is `forward`."""
    return f"""{HEAD}
{top}
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init}
    def forward(self, x, *more):
        {forward}
{inputs}"""


class Served(Serving):
    def ok(self, source: str, **job: Any) -> Outcome:
        outcome = self.outcome(source, **job)
        self.assertIn("ok", outcome.answer, outcome.answer)
        return outcome

    def failed(self, failure_class: str, source: str) -> dict[str, Any]:
        answer = self.outcome(source).answer
        self.assertEqual(answer.get("failed", {}).get("class"), failure_class, answer)
        failed: dict[str, Any] = answer["failed"]
        self.assertLessEqual(len(failed["detail"].encode()), 16 << 10)
        self.assertNotIn("\n", failed["error"])
        return failed

    def unsupported(self, source: str, **job: Any) -> str:
        answer = self.outcome(source, **job).answer
        self.assertIn("unsupported", answer)
        reason: str = answer["unsupported"]["reason"]
        return reason

    def outcome(self, source: str, **job: Any) -> Outcome:
        outcome = self.zygote.job({**EXPORT, **job}, source)
        self.assertEqual(outcome.status, 0, outcome.printed)
        self.assertTrue(outcome.answer["final"])
        return outcome


class Programs(Served):
    def test_description_of_a_program(self) -> None:
        outcome = self.ok(problem("return self.layer(x)", "self.layer = nn.Linear(4, 3)"))
        self.assertEqual(
            outcome.answer["ok"],
            {
                "inputs": [{"shape": [2, 4], "dtype": "f32"}],
                "outputs": [{"shape": [2, 3], "dtype": "f32"}],
                "state": [],
                "mutated_inputs": [],
                "parameters": {"count": 2, "bytes": 4 * (12 + 3)},
                "mlir_bytes": len(outcome.mlir),
                "passes": [],
                "fallbacks": [],
            },
        )
        self.assertIn(b'#flow.parameter.named<"model"::"layer.weight">', outcome.mlir)
        self.assertTrue(outcome.mlir.startswith(b"module @module {"))

    def test_nothing_is_materialised(self) -> None:
        huge = "def get_inputs(): return [torch.rand(1 << 20, 1 << 20)]"  # 4 TiB
        outcome = self.ok(
            problem(
                "return x @ self.w",
                "self.w = nn.Parameter(x(20, 20))",
                inputs=huge,
                top="def x(*bits): return torch.rand([1 << n for n in bits])",
            )
        )
        self.assertEqual(outcome.answer["ok"]["parameters"]["bytes"], 4 << 40)
        self.assertLess(len(outcome.mlir), 10_000)

    def test_nested_inputs_and_scalars(self) -> None:
        inputs = """def get_inputs():
    half = torch.zeros(3, dtype=torch.float16)
    return [torch.rand(1), {"a": half, "b": [torch.ones(2, 2) > 0]}, 3, 0.5, True]"""
        forward = "return [more[0]['a'] * more[1], {'k': more[0]['b'][0]}, x.long()]"
        outcome = self.ok(problem(forward, inputs=inputs))
        self.assertEqual(
            outcome.answer["ok"]["inputs"],
            [
                {"shape": [1], "dtype": "f32"},
                {"shape": [3], "dtype": "f16"},
                {"shape": [2, 2], "dtype": "bool"},
                {"scalar": "int", "value": "3"},
                {"scalar": "float", "value": "0.5"},
                {"scalar": "bool", "value": "True"},
            ],
        )
        self.assertEqual(
            outcome.answer["ok"]["outputs"],
            [
                {"shape": [3], "dtype": "f16"},
                {"shape": [2, 2], "dtype": "bool"},
                {"shape": [1], "dtype": "i64"},
            ],
        )

    def test_one_tensor_passed_twice_stays_two_arguments(self) -> None:
        twice = "def get_inputs():\n    t = torch.rand(4)\n    return [t, t]"
        outcome = self.ok(problem("return x - more[0]", inputs=twice))
        self.assertIn(b"torch.aten.sub.Tensor %arg0, %arg1", outcome.mlir)

    def test_mode_reaches_the_model(self) -> None:
        source = problem("return x + 1 if self.training else x * 3")
        self.assertIn(b"aten.mul", self.ok(source, mode="eval").mlir)
        self.assertIn(b"aten.add", self.ok(source, mode="train").mlir)

    def test_values_made_at_import_are_kept(self) -> None:
        outcome = self.ok(problem("return x + TABLE", top="TABLE = torch.tensor([1., 2, 3, 4])"))
        self.assertIn(b"0000803F000000400000404000008040", outcome.mlir)

    def test_a_shared_weight_counts_once(self) -> None:
        init = "self.a = self.b = nn.Linear(4, 4, False)"
        outcome = self.ok(problem("return self.b(self.a(x))", init))
        self.assertEqual(outcome.answer["ok"]["parameters"], {"count": 1, "bytes": 64})

    def test_user_code_may_upset_the_process(self) -> None:
        upset = "\n".join(
            (
                "import json, socket",
                "sys.stdout.close(); sys.stderr = None; os.chdir('/')",
                "json.dumps = socket.send_fds = os._exit = None",
                "for name in ('json', 'socket', 'assay_worker.export'): del sys.modules[name]",
            )
        )
        self.ok(problem("return x + 1", top=upset))

    def test_what_the_user_prints_is_kept(self) -> None:
        outcome = self.ok(problem("print('out'); return x", "print('err', file=sys.stderr)"))
        self.assertEqual(outcome.printed, "err\nout\n")

    def test_bundled_suite(self) -> None:
        for file in part_of_tour():
            with self.subTest(file=file.name):
                self.ok(file.read_text(), path=str(file))


class Failures(Served):
    def test_load(self) -> None:
        for source, error in (
            ("x = = 1", "SyntaxError: invalid syntax (p.py:1"),
            ("a = '\0'", "SyntaxError: source code string cannot contain null bytes"),
            ("\nimport no_such_module", "No module named 'no_such_module' (p.py:2"),
            ("\n\nraise SystemExit(3)", "SystemExit: 3 (p.py:3"),
            ("raise KeyboardInterrupt", "KeyboardInterrupt (p.py:1"),
            ("x = 1", "the file defines no `Model`"),
            (problem("return x", inputs=""), "the file defines no `get_inputs`"),
        ):
            with self.subTest(error=error):
                self.assertIn(error, self.failed("load", source)["error"])

    def test_setup(self) -> None:
        for source, error in (
            (problem("return x", "raise ValueError('bad width')"), "bad width (p.py:9"),
            (problem("return x", "sys.exit()"), "SystemExit (p.py:9"),
            (problem("return x", inputs="def get_inputs(): return 1 / 0"), "ZeroDivisionError"),
            (problem("return x", inputs="def get_inputs(): return torch.rand(2)"), "not a list"),
            (
                problem("return x", inputs=INPUTS + "def get_init_inputs(): return {}"),
                "`get_init_inputs()` gave dict, not a list",
            ),
        ):
            with self.subTest(error=error):
                self.assertIn(error, self.failed("setup", source)["error"])

    def test_export(self) -> None:
        for forward, error in (
            ("return x @ torch.rand(3, 3)", "must have same reduction dim"),
            ("return x if x.sum() > 0 else -x", "data-dependent expression"),
            ("raise SystemExit('no')", "SystemExit: no"),
            ("return self.forward(x)", "RecursionError"),
        ):
            with self.subTest(error=error):
                failed = self.failed("export", problem(forward))
                self.assertIn(error, failed["error"])
                self.assertIn("(p.py:11", failed["error"])
                self.assertIn('File "/x/p.py", line 11, in forward', failed["detail"])
                self.assertIn(forward, failed["detail"])

    def test_import(self) -> None:
        forward = "return torch.cond(x.sum() > 0, lambda t: t + 1, lambda t: t - 1, (x,))"
        self.assertIn("'cond' not implemented", self.failed("import", problem(forward))["error"])

    def test_out_of_memory(self) -> None:
        allocator = 'raise RuntimeError("DefaultCPUAllocator: can\'t allocate memory: 9 bytes")'
        real = "torch.zeros(1 << 50)"  # at the top of a file nothing is fake
        for source in (
            problem("return x", top="raise MemoryError"),
            problem("return x", top=real),
            problem("return x", allocator),
            problem("raise MemoryError"),
            problem(
                "return x",
                "\n        ".join(
                    ("try: raise MemoryError", "except MemoryError as e: raise ValueError from e")
                ),
            ),
        ):
            with self.subTest(source=source):
                self.failed("out_of_memory", source)

    def test_a_traceback_that_cannot_be_formatted(self) -> None:
        top = "import linecache; linecache.getlines = None"
        self.assertEqual(self.failed("export", problem("return x", top=top))["detail"], "")

    def test_hostile_errors(self) -> None:
        top = """class Odd(BaseException):
    def __str__(self): raise SystemExit
class Long(Exception):
    def __str__(self): return 'x' * (1 << 22)"""
        self.assertIn("Odd (p.py", self.failed("load", top + "\nraise Odd")["error"])
        self.assertLess(len(self.failed("load", top + "\nraise Long")["error"]), 500)
        surrogate = "raise ValueError('a\\udc80b')"
        self.assertIn("a?b", self.failed("load", surrogate)["error"])


class Declined(Served):
    def test_reasons(self) -> None:
        def returning(value: str) -> str:
            return problem("return x", inputs=f"def get_inputs(): return [torch.rand(2), {value}]")

        for source, reason in (
            (returning("b'text'"), "input 1 is bytes"),
            (returning("slice(3)"), "input 1 is slice"),
            (returning("[1] * 100_000"), "100001 inputs"),
            (returning("torch.eye(3).to_sparse()"), "layout"),
            (problem("return None, 3"), "returns no tensor"),
            (problem("return x, x.sum().item()"), "output 1 is a number that depends on the data"),
            (problem("return torch.nonzero(x)"), "depends on the data"),
            (
                problem("return x + self.t[0][0][0]", "self.t = [torch.rand(4, 1 << 30)]"),
                "too large",
            ),
        ):
            with self.subTest(reason=reason):
                self.assertIn(reason, self.unsupported(source))

    def test_precision(self) -> None:
        self.assertIn("'f8'", self.unsupported(problem("return x"), precision="f8"))


class NoJob(Served):
    def test_assay_breaking_the_protocol_ends_the_worker(self) -> None:
        for job, descriptors in (
            ({**EXPORT, "job": "dance"}, 2),
            ({**EXPORT, "mode": "both"}, 2),
            ({**EXPORT, "path": None}, 2),
            ({**EXPORT, "seed": None}, 2),
            ({**EXPORT, "seed": 1 << 32}, 2),
            (EXPORT, 1),
        ):
            with self.subTest(job=job, descriptors=descriptors):
                outcome = self.zygote.job(job, problem("return x"), descriptors)
                self.assertEqual((outcome.answers, outcome.status), ([], 1))
                self.assertIn("ProtocolError", outcome.printed)


class Reproducible(unittest.TestCase):
    def test_same_bytes_in_any_process_and_from_any_folder(self) -> None:
        sources = [file.read_text() for file in part_of_tour()]
        sources.append(
            problem("return x + TABLE", top="TABLE = torch.arange(40) * 0.5").replace(
                "2, 4", "2, 40"
            )
        )
        names = {f"layer_{n}" for n in range(8)}
        of_a_set = f"for name in {names!r}: self.add_module(name, nn.Linear(4, 4))"
        sources.append(problem("return sum(m(x) for m in self.children())", of_a_set))
        digests = set()
        with contextlib.ExitStack() as stack:
            zygotes = [stack.enter_context(Zygote.started()) for _ in range(2)]
            for zygote, folder in zip(zygotes, ("/one", "/two/deeper"), strict=True):
                exported = [zygote.export(s, f"{folder}/p{n}.py") for n, s in enumerate(sources)]
                self.assertTrue(all("ok" in outcome.answer for outcome in exported))
                for outcome in exported:
                    self.assertNotIn(folder.encode(), outcome.mlir)
                whole = b"\0".join(outcome.mlir for outcome in exported)
                digests.add(hashlib.sha256(whole).hexdigest())
        self.assertEqual(len(digests), 1)

    def test_random_hashes_are_refused(self) -> None:
        with (
            memory(b"") as output,
            process(str(STAND_IN), "export", "/", output=output, hash_seed="random") as control,
        ):
            self.assertEqual(control.recv(1), b"")
            self.assertIn(b"start this with PYTHONHASHSEED=0", content(output))


if __name__ == "__main__":
    unittest.main()
