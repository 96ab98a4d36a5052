"""What a worker does with kernels that bring tests along, short of running one."""

import ast
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from typing import Any

import numpy
import torch

from assay_worker import pytest_stand_in, result_tree, suite_tests
from assay_worker.own_tests import drop_tests

_WORKERS = str(Path(__file__).parent.parent)


def written(value: Any) -> tuple[Any, bytes]:
    file = io.BytesIO()
    result_tree.write(value, file)
    line, _, rest = file.getvalue().partition(b"\n")
    return json.loads(line), rest


class ResultTree(unittest.TestCase):
    def test_has_all_that_tests_leave(self) -> None:
        tree, content = written(
            {"a": torch.tensor([[1.0, 2.0]]), "b": [True, None, 3, 0.5], 4: ("x", object())}
        )
        self.assertEqual(
            tree["dict"][0],
            ["a", {"tensor": "float32", "shape": [1, 2], "at": 0, "bytes": 8}],
        )
        self.assertEqual(
            tree["dict"][1][1]["list"],
            [{"bool": True}, {"none": True}, {"int": "3"}, {"float": "0x1.0000000000000p-1"}],
        )
        self.assertEqual(
            tree["dict"][2],
            ["<int 4>", {"tuple": [{"text": "x"}, {"other": "builtins.object"}]}],
        )
        self.assertEqual(content, numpy.array([1, 2], dtype=numpy.float32).tobytes())

    def test_has_tensors_of_all_kinds(self) -> None:
        tree, content = written(
            [
                torch.arange(6, dtype=torch.int16).reshape(2, 3).T,
                torch.zeros(0, 3),
                torch.ones(2, dtype=torch.bfloat16),
                numpy.arange(2, dtype=numpy.uint8),
                torch.tensor([1 + 2j]).conj(),
            ]
        )
        kinds = [(each["tensor"], each["shape"], each["at"]) for each in tree["list"]]
        self.assertEqual(
            kinds,
            [
                ("int16", [3, 2], 0),
                ("float32", [0, 3], 12),
                ("bfloat16", [2], 12),
                ("uint8", [2], 16),
                ("complex64", [1], 18),
            ],
        )
        self.assertEqual(content[:4], numpy.array([0, 3], dtype=numpy.int16).tobytes())
        self.assertEqual(numpy.frombuffer(content[18:], dtype=numpy.complex64)[0], 1 - 2j)

    def test_has_a_key_of_its_own_for_each_of_a_dict(self) -> None:
        tree, _ = written({1: 1, "1": 2, "<int 1>": 3, None: 4, "None": 5, (1,): 6})
        keys = [key for key, _ in tree["dict"]]
        self.assertEqual(len(set(keys)), len(keys), keys)
        self.assertIn("1", keys)

    def test_ends_where_it_would_not(self) -> None:
        loop: list[Any] = []
        loop.append(loop)
        with self.assertRaises(result_tree.TooLarge):
            written(loop)


class Modules(unittest.TestCase):
    def test_lie_where_tests_look_for_them(self) -> None:
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                suite_tests.write_modules({"data_utils": "def rand_int():\n    return 4\n"})
            finally:
                os.chdir(here)
            text = (Path(folder) / "data_utils.py").read_text()
        self.assertEqual(text, "def rand_int():\n    return 4\n")


class Pytest(unittest.TestCase):
    def test_names_nodes_as_pytest_does(self) -> None:
        mark = pytest_stand_in._Marks()

        @mark.parametrize("SIZE,BLOCK", [(10, 2), (20, 4)])
        @mark.parametrize("dtype", ["f16", "f32"])
        def test_it(SIZE: int, BLOCK: int, dtype: str) -> None:
            pass

        cases = list(pytest_stand_in.cases("test_it", test_it))
        self.assertEqual(
            [name for name, _ in cases],
            [
                "test_it[f16-10-2]",
                "test_it[f16-20-4]",
                "test_it[f32-10-2]",
                "test_it[f32-20-4]",
            ],
        )
        self.assertEqual(cases[1][1], {"SIZE": 20, "BLOCK": 4, "dtype": "f16"})

    def test_takes_names_that_are_given(self) -> None:
        mark = pytest_stand_in._Marks()

        @mark.parametrize("x", [pytest_stand_in._param(1, id="one"), 2.5, torch.float16])
        def test_it(x: Any) -> None:
            pass

        names = [name for name, _ in pytest_stand_in.cases("test_it", test_it)]
        self.assertEqual(names, ["test_it[one]", "test_it[2.5]", "test_it[x2]"])


class Scratch(unittest.TestCase):
    def test_is_what_a_test_hands_to_calls_and_never_looks_at(self) -> None:
        code = ast.parse(
            textwrap.dedent(
                """
                def test_f():
                    x = torch.randn(4)
                    tmp = torch.empty(4)
                    more = x.new_empty((2, 2))
                    return {"a": f(x, tmp), "b": g(x, workspace=more)}
                """
            )
        )
        self.assertEqual(suite_tests.scratch_in(code), ["test_f.more", "test_f.tmp"])

    def test_is_nothing_that_a_result_may_be_in(self) -> None:
        for use in (
            "kernel[(1,)](x, y)",  # what a launch writes
            "f(x, y)",
            "a = f(x, y); results['y'] = y.shape",
            "a = f(x, y); return y",
            "a = f(x, y); b = y",
            "a = f(x, y)[0] + y",
            "y = torch.zeros(4); a = f(x, y)",
            "y += 1; a = f(x, y)",
        ):
            text = f"def test_f():\n    y = torch.empty_like(x)\n    {use}\n"
            self.assertEqual(suite_tests.scratch_in(ast.parse(text)), [], use)
        zeros = "def test_f():\n    y = torch.zeros(4)\n    return f(x, y)\n"
        self.assertEqual(suite_tests.scratch_in(ast.parse(zeros)), [], "a state that is kept")


class Tests(unittest.TestCase):
    def test_of_a_candidate_are_left_out(self) -> None:
        self.assertEqual(
            left_of(
                """
                def f(x):
                    return x
                def test_f():
                    return f(1)
                result_gold = test_f()
                test_f()
                y = f(2)
                if __name__ == '__main__':
                    test_f()
                """
            ),
            "def f(x):\n    return x\ny = f(2)",
        )

    def test_take_along_what_is_made_of_them(self) -> None:
        self.assertEqual(
            left_of(
                """
                from __future__ import annotations
                def test_f():
                    global seen
                    seen = 1
                    return {'a': 1}
                result_gold = test_f()
                print(result_gold)
                print(seen)
                for name, value in result_gold.items():
                    print(name)
                sizes = [each for each in result_gold]
                assert all(size for size in sizes)
                count: int = len(sizes)
                count += 1
                """
            ),
            "from __future__ import annotations",
        )

    def test_stand_in_blocks_too(self) -> None:
        self.assertEqual(
            left_of(
                """
                with torch.no_grad():
                    test_f()
                try:
                    test_f()
                except AssertionError as error:
                    print(error)
                    raise
                if cuda:
                    def test_f(): pass
                    a = 1
                else:
                    test_f()
                while True:
                    if test_f():
                        break
                for _ in range(3):
                    test_f()
                """
            ),
            "try:\n    pass\nexcept AssertionError as error:\n    print(error)\n    raise\n"
            "if cuda:\n    a = 1",
        )

    def test_are_called_by_functions_that_stay_and_are_not_called(self) -> None:
        self.assertEqual(
            left_of(
                """
                def g(): print(result)
                def test_f(): pass
                def run(check=True): test_f()
                def main():
                    run()
                result = test_f()
                main()
                times = bench(run)
                g()
                """
            ),
            "def g():\n    print(result)\ndef run(check=True):\n    test_f()\n"
            "def main():\n    run()",
        )

    def test_may_be_what_does_not_compile(self) -> None:
        code = ast.parse("if __name__ == '__main__':\n    return\nx = 1\n")
        drop_tests(code)
        self.assertEqual(ast.unparse(code), "x = 1")

    def test_leave_other_names_alone(self) -> None:
        text = """
            results = None
            def f(x):
                result_gold = [each for each in x]
                return result_gold
            class F:
                test = f
                result_gold = 1
            y = [result_gold for result_gold in (1, 2)]
            results = f(y)
            print(results)
            f.test_f = 1
            test_suffix = 'a'
            """
        same = ast.unparse(ast.parse(textwrap.dedent(text)))
        tests = "def test_f(): pass\nresult_gold = results = test_f()\n"
        self.assertEqual(left_of(tests + textwrap.dedent(text)), same.replace("\n\n", "\n"))


def left_of(text: str) -> str:
    code = ast.parse(textwrap.dedent(text))
    drop_tests(code)
    compile(code, "left", "exec")
    return ast.unparse(code).replace("\n\n", "\n")


_KERNELS = """
import torch, triton
import triton.language as tl
from triton.language.extra.cuda import libdevice

def of_its_own():
    raise NotImplementedError("inline_asm not supported in interpreter mode")

class Odd(Exception):
    def __repr__(self):
        return "Did you forget to add @triton.jit"

@triton.jit
def kernel(x, BODY: tl.constexpr):
    y = tl.load(x)
    if BODY == 0:
        tl.store(x, libdevice.sinh(y))
    elif BODY == 1:
        tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [y], tl.int32, True, 1)
    elif BODY == 2:
        of_its_own()
    elif BODY == 3:
        raise NotImplementedError
    elif BODY == 4:
        raise ValueError("Did you forget to add @triton.jit ? ")
    else:
        raise Odd

def launch(body):
    kernel[(1,)](torch.zeros(1), body)

def stub(_):
    raise NotImplementedError

def says_so(_):
    raise RuntimeError("extern_elementwise not supported in interpreter mode")

def outside(_):
    tl.arange(0, 4)

def library_outside(_):
    libdevice.sinh(1.0)
"""
_SCRIPT = """
import sys
sys.path.insert(0, ".")
from assay_worker import suite_tests
suite_tests.warm_up()
import candidate
for name, body in (*(("launch", each) for each in range(6)), ("stub", 0), ("says_so", 0),
                   ("outside", 0), ("library_outside", 0)):
    try:
        getattr(candidate, name)(body)
    except Exception as error:
        print(name, body, suite_tests._why_not_here(error))
"""


class NotHere(unittest.TestCase):
    def test_is_what_the_interpreter_lacks_alone(self) -> None:
        if importlib.util.find_spec("triton") is None:
            self.skipTest("Triton is not installed")
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "candidate.py").write_text(_KERNELS)
            done = subprocess.run(
                [sys.executable, "-c", _SCRIPT],
                capture_output=True,
                text=True,
                timeout=200,
                cwd=folder,
                env={**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": _WORKERS},
            )
        self.assertEqual(
            done.stdout.splitlines(),
            [
                "launch 0 Triton's interpreter: libdevice's sinh is not supported in interpreter "
                "mode",
                "launch 1 Triton's interpreter: inline_asm not supported in interpreter mode",
                *(f"launch {body} None" for body in range(2, 6)),
                *(f"{name} 0 None" for name in ("stub", "says_so", "outside", "library_outside")),
            ],
            done.stderr,
        )


if __name__ == "__main__":
    unittest.main()
