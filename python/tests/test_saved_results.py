"""Programs without a model in torch: results that are saved, and those of a plain compile."""

import io
import unittest
from importlib import util
from typing import Any

import numpy
import torch

from assay_worker import kernelbench
from assay_worker.double import InDouble, SaysItsType
from assay_worker.failure import Explained

_TWICE = """
func.func @main(%a: tensor<SIZExTYPE>) -> tensor<SIZExTYPE> {
  %s = stablehlo.add %a, %a : tensor<SIZExTYPE>
  return %s : tensor<SIZExTYPE>
}
"""


def twice(dtype: str = "f32", size: str = "2") -> bytes:
    return _TWICE.replace("SIZE", size).replace("TYPE", dtype).encode()


def load(content: bytes, program: bytes) -> kernelbench.Problem:
    sizes = f'{{"program_bytes": {len(program)}}}\n'.encode()
    mark = b"# assay: inputs and results, "
    return kernelbench.load(mark + sizes + program + content, "/a/p.npz")


def saved(program: bytes, **arrays: Any) -> kernelbench.Problem:
    file = io.BytesIO()
    numpy.savez(file, **{name: numpy.asarray(each) for name, each in arrays.items()})
    return load(file.getvalue(), program)


def in_double(problem: kernelbench.Problem) -> Any:
    with InDouble(), SaysItsType(torch.float32):
        return problem.build()(*(each.double() for each in problem.inputs()))


@unittest.skipUnless(util.find_spec("iree.compiler"), "IREE is absent")
class SavedResults(unittest.TestCase):
    def test_what_is_right_is_what_was_saved(self) -> None:
        x = numpy.array([1.0, 2.0], "f4")
        problem = saved(twice(), input_0=x, expected_0=numpy.array([2.0, 1 / 3]))
        self.assertEqual(problem.inputs()[0].tolist(), [1.0, 2.0])
        assert problem.get_input_domains
        self.assertEqual(problem.get_input_domains(), ["constant"])
        self.assertEqual(in_double(problem).tolist(), [2.0, 1 / 3])
        given = problem.build()(*problem.inputs())
        self.assertEqual((given.dtype, given[1].item()), (torch.float32, numpy.float32(1 / 3)))

    def test_sizes_may_be_open_in_the_program(self) -> None:
        x = numpy.ones(5, "f4")
        problem = saved(twice(size="?"), input_0=x, expected_0=x)
        self.assertEqual(problem.build()(*problem.inputs()).shape, (5,))

    def test_whole_numbers_are_exact(self) -> None:
        whole = numpy.array([2**60 + 1, 8])
        problem = saved(twice("i64"), input_0=whole, expected_0=whole)
        self.assertEqual(problem.build()(*problem.inputs()).tolist(), whole.tolist())

    def test_whole_numbers_are_of_the_programs_type(self) -> None:
        wide = numpy.array([300, 1])
        for dtype, own in (("i8", numpy.int8), ("i1", numpy.bool_)):
            with self.assertRaisesRegex(Explained, "'expected_0' is 2 int64"):
                saved(twice(dtype), input_0=numpy.ones(2, own), expected_0=wide)

    def test_bf16_of_ml_dtypes(self) -> None:
        bits = torch.tensor([1.5, -2.0], dtype=torch.bfloat16).view(torch.int16).numpy()
        problem = saved(twice("bf16"), input_0=bits.view("V2"), expected_0=bits.view("V2"))
        given = problem.build()(*problem.inputs())
        self.assertEqual((given.dtype, given.tolist()), (torch.bfloat16, [1.5, -2.0]))

    def test_a_call_writes_into_no_other(self) -> None:
        whole = numpy.array([7, 8])
        problem = saved(twice("i64"), input_0=whole, expected_0=whole)
        model, inputs = problem.build(), problem.inputs()
        model(*inputs).zero_()
        self.assertEqual(model(*inputs).tolist(), [7, 8])

    def test_what_is_no_such_file(self) -> None:
        x = numpy.zeros(2, "f4")
        one = io.BytesIO()
        numpy.save(one, x)
        objects = io.BytesIO()
        numpy.savez(objects, expected_0=numpy.array([{}], object))
        for content, words in (
            (b"", "numpy cannot read it"),
            (b"PK\x03\x04 and no archive", "numpy cannot read it"),
            (one.getvalue(), "one array"),
            (objects.getvalue(), "numpy cannot read it"),
        ):
            with self.assertRaisesRegex(Explained, words):
                load(content, twice())
        for arrays, words in (
            ({"input_0": x}, "holds 0 arrays expected_0"),
            ({"expected_0": x}, "holds 0 arrays input_0"),
            ({"input_0": x, "expected_0": x, "expected_2": x}, "holds 'expected_2'"),
            ({"input_0": x, "expected_0": numpy.zeros(3, "f4")}, "'expected_0' is 3 float32"),
            ({"input_0": x.astype("f8"), "expected_0": x}, "'input_0' is 2 float64"),
            ({"input_0": x, "expected_0": numpy.zeros(2, "i4")}, "'expected_0' is 2 int32"),
            ({"input_0": x, "expected_0": numpy.zeros(2, "f2")}, "'expected_0' is 2 float16"),
            ({"input_0": x, "expected_0": numpy.array(["a", "b"])}, "type that is not taken"),
        ):
            with self.assertRaisesRegex(Explained, words):
                saved(twice(), **arrays)

    def test_damaged_bytes_are_explained(self) -> None:
        file = io.BytesIO()
        numpy.savez(file, input_0=numpy.ones(2, "f4"), expected_0=numpy.ones(2, "f4"))
        content = file.getvalue()
        for at in range(0, len(content), 7):
            for damaged in (content[:at], content[:at] + b"\xff" + content[at + 1 :]):
                try:
                    load(damaged, twice()).build()
                except Explained:
                    continue


_ADD = """
func.func @main(%a: tensor<4x5xf16>, %i: tensor<4xi32>) -> (tensor<4x5xf16>, tensor<i32>) {
  %s = stablehlo.add %a, %a : tensor<4x5xf16>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.reduce(%i init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  return %s, %r : tensor<4x5xf16>, tensor<i32>
}
"""


@unittest.skipUnless(util.find_spec("iree.compiler"), "IREE is absent")
class LoneProgram(unittest.TestCase):
    def load(self, text: str) -> kernelbench.Problem:
        return kernelbench.load(b"# assay: a program alone, {}\n" + text.encode(), "/a/p.mlir")

    def test_inputs_are_those_of_main_and_results_what_it_computes(self) -> None:
        problem = self.load(_ADD)
        a, whole = problem.inputs()
        self.assertEqual((a.dtype, a.shape), (torch.float16, (4, 5)))
        self.assertEqual((whole.dtype, whole.shape), (torch.int32, (4,)))
        for given in (problem.build()(a, whole), in_double(problem)):
            self.assertEqual(given[0].shape, (4, 5))
            self.assertEqual(given[1].shape, ())
        doubled, total = problem.build()(a, whole)
        self.assertTrue(torch.equal(doubled, 2 * a))
        self.assertEqual(total.item(), whole.sum().item())

    def test_in_double_it_is_what_was_computed(self) -> None:
        problem = self.load(_ADD)
        torch.manual_seed(1)
        a, whole = problem.inputs()
        with InDouble(), SaysItsType(torch.float16):
            doubled, _ = problem.build()(a.double(), whole)
        self.assertEqual(doubled.dtype, torch.float64)
        self.assertTrue(torch.equal(doubled, 2 * a.double()))

    def test_what_is_not_compared(self) -> None:
        one = "func.func @main(%a: tensor<{0}>) -> tensor<{0}> {{ return %a : tensor<{0}> }}"
        for text, words in (
            ("", "no function `main`|does not compile"),
            ("nonsense", "does not read it"),
            (one.format("?x4xf32"), "are open"),
            (one.format("4xcomplex<f32>"), "no tensor of torch's types"),
            (one.format("4xf32").replace("main", "other"), "no function `main`"),
        ):
            with self.assertRaisesRegex(Explained, words):
                self.load(text)


if __name__ == "__main__":
    unittest.main()
