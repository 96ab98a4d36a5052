"""What a worker does with kernels that bring tests along, short of running one."""

import ast
import io
import json
import unittest
from typing import Any

import numpy
import torch

from assay_worker import pytest_stand_in, result_tree
from assay_worker.suite_tests import drop_tests


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
            ["4", {"tuple": [{"text": "x"}, {"other": "builtins.object"}]}],
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

    def test_ends_where_it_would_not(self) -> None:
        loop: list[Any] = []
        loop.append(loop)
        with self.assertRaises(result_tree.TooLarge):
            written(loop)


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


class Tests(unittest.TestCase):
    def test_of_a_candidate_are_left_out(self) -> None:
        code = ast.parse(
            "def f(x):\n    return x\n"
            "def test_f():\n    return f(1)\n"
            "result_gold = test_f()\n"
            "test_f()\n"
            "y = f(2)\n"
            "if __name__ == '__main__':\n    test_f()\n"
        )
        drop_tests(code)
        self.assertEqual(ast.unparse(code), "def f(x):\n    return x\ny = f(2)")


if __name__ == "__main__":
    unittest.main()
