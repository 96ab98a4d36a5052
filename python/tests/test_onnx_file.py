"""Graphs in ONNX as problems: which inputs they have, what they compute, and what is refused."""

import json
import unittest
from importlib import util
from typing import Any

import numpy
import torch

from assay_worker import kernelbench
from assay_worker.failure import Explained


def graph(text: str, **held: Any) -> Any:
    """A model of a graph in ONNX's own language, with initializers."""
    from onnx import numpy_helper, parser

    model = parser.parse_model('<ir_version: 8, opset_import: ["" : 18]> ' + text)
    for name, array in held.items():
        model.graph.initializer.append(numpy_helper.from_array(numpy.asarray(array), name))
    return model


def source(model: Any, **sizes: int) -> bytes:
    content = model if isinstance(model, bytes) else model.SerializeToString()
    return b"# assay: an ONNX file, " + json.dumps(sizes).encode() + b"\n" + content


def load(model: Any, **sizes: int) -> kernelbench.Problem:
    return kernelbench.load(source(model, **sizes), "/a/p.onnx")


def linear() -> Any:
    weight = numpy.arange(12, dtype=numpy.float32).reshape(4, 3)
    return graph("g (float[batch,4] x) => (float[batch,3] y) { y = MatMul(x, w) }", w=weight)


@unittest.skipUnless(util.find_spec("onnx"), "onnx is absent")
class OnnxFile(unittest.TestCase):
    def test_named_dimensions_have_sizes(self) -> None:
        for sizes, shape in ((dict[str, int](), (1, 4)), ({"batch": 3}, (3, 4))):
            (x,) = load(linear(), **sizes).inputs()
            self.assertEqual(tuple(x.shape), shape)

    def test_it_computes_with_what_the_module_holds(self) -> None:
        model = load(linear(), batch=2).build()
        x = torch.ones(2, 4)
        self.assertEqual(model(x).tolist(), [[18.0, 22.0, 26.0]] * 2)
        with torch.no_grad():
            next(model.parameters()).fill_(1.0)
        self.assertEqual(model(x).tolist(), [[4.0] * 3] * 2)
        self.assertEqual(load(model.as_onnx()).build()(x).tolist(), [[4.0] * 3] * 2)

    def test_several_results_are_a_tuple(self) -> None:
        text = "g (float[2] x) => (float[2] y, float[2] z) { y = Neg(x) z = Abs(x) }"
        y, z = load(graph(text)).build()(torch.tensor([1.0, -2.0]))
        self.assertEqual((y.tolist(), z.tolist()), ([-1.0, 2.0], [1.0, 2.0]))

    def test_places_in_a_table_are_below_its_rows(self) -> None:
        text = (
            "g (int64[n] ids, int64[n] mask) => (float[n,1,2] y) { one = Cast<to = 7>(ids) "
            "rows = Gather(table, one) f = Cast<to = 1>(mask) "
            "g = Unsqueeze(f, axes) h = Mul(rows, g) y = Unsqueeze(h, axes) }"
        )
        model = graph(text, table=numpy.ones((50, 2), numpy.float32), axes=numpy.array([1]))
        ids, mask = load(model, n=1000).inputs()
        self.assertTrue(20 < int(ids.max()) < 50)
        self.assertEqual((int(mask.min()), int(mask.max())), (0, 1))

    def test_what_follows_from_shapes_is_computed_once(self) -> None:
        text = (
            "g (float[b,6] x) => (float[b,2,3] y) { s = Shape(x) b = Gather(s, zero) "
            "u = Unsqueeze(b, axes) t = Concat<axis = 0>(u, rest) y = Reshape(x, t) }"
        )
        model = graph(text, zero=numpy.array(0), axes=numpy.array([0]), rest=numpy.array([2, 3]))
        problem = load(model, b=5)
        program = torch.export.export(problem.build(), tuple(problem.inputs()), strict=False)
        names = [n.target.__name__ for n in program.graph.nodes if n.op == "call_function"]
        self.assertEqual(names, ["reshape.default"])

    def test_a_compiler_sees_all_of_it(self) -> None:
        text = (
            "g (int64[2,b] ids) => (float[b,2] y) { t = Transpose(ids) s = Slice(t, one, two, one) "
            "r = Squeeze(s, one) e = Gather(table, r) f = Div(e, half) y = Clip(f, half) }"
        )
        model = graph(
            text,
            one=numpy.array([1]),
            two=numpy.array([2]),
            half=numpy.array(0.5, numpy.float32),
            table=numpy.ones((9, 2), numpy.float32),
        )
        problem = load(model, b=3)
        built = problem.build()
        given = problem.inputs()
        compiled = torch.compile(built, fullgraph=True, backend="eager")
        self.assertEqual(compiled(*given).tolist(), built(*given).tolist())

    def test_a_branch_that_is_known_is_taken(self) -> None:
        text = (
            "g (float[2] x) => (float[2] y) { y = If(c) "
            "<then_branch = a () => (float[2] p) { p = Neg(x) }, "
            "else_branch = b () => (float[2] q) { q = Abs(x) }> }"
        )
        for condition, wanted in ((True, [-1.0, 2.0]), (False, [1.0, 2.0])):
            model = graph(text, c=numpy.array(condition))
            self.assertEqual(load(model).build()(torch.tensor([1.0, -2.0])).tolist(), wanted)

    def test_what_is_wrong_is_said(self) -> None:
        unary = "g (float[2] x) => (float[2] y) {{ y = {}(x) }}"
        outside = linear()
        outside.graph.initializer[0].data_location = 1
        for model, message in (
            (b"nonsense", "it is no ONNX file, or is cut off"),
            (b"", "it is no ONNX file: it holds no graph"),
            (linear().SerializeToString()[:-20], "it is no ONNX file, or is cut off"),
            (outside, "its weights lie in other files"),
            (graph(unary.format("NoSuch")), "onnx.checker says: .*NoSuch"),
            (
                graph("g (float[2] x) => (int64[1,n] y) { y = NonZero(x) }"),
                "NonZero: assay has no rule for this operation",
            ),
            (
                graph("g (float[4] x, int64[2] s) => (float[2,2] y) { y = Reshape(x, s) }"),
                "Reshape: its shape depends on values of the inputs",
            ),
            (graph("g (string[2] x) => (string[2] y) { y = Identity(x) }"), "'x' is of STRING"),
            (graph("g () => (float[2] y) { y = Neg(w) }", w=[1.0, 2.0]), "has no inputs"),
        ):
            with self.subTest(message=message), self.assertRaisesRegex(Explained, message):
                load(model)
        with self.assertRaisesRegex(Explained, "no input has a dimension named 'n': there are b"):
            load(linear(), n=3)


if __name__ == "__main__":
    unittest.main()
