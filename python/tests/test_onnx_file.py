"""Graphs in ONNX as problems: which inputs they have, what they compute, and what is refused."""

import json
import unittest
from collections.abc import Callable
from importlib import util
from typing import Any
from unittest import mock

import numpy
import torch
from judging import judged
from serving import Zygote

from assay_worker import kernelbench
from assay_worker.failure import Explained
from assay_worker.onnx_operations import RULES


def graph(text: str, opset: int = 18, **held: Any) -> Any:
    """A model of a graph in ONNX's own language, with initializers."""
    from onnx import numpy_helper, parser

    model = parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]> {text}')
    for name, array in held.items():
        model.graph.initializer.append(numpy_helper.from_array(numpy.asarray(array), name))
    return model


def source(model: Any, **sizes: int) -> bytes:
    content = model if isinstance(model, bytes) else model.SerializeToString()
    return b"# assay: an ONNX file, " + json.dumps(sizes).encode() + b"\n" + content


def load(model: Any, **sizes: int) -> kernelbench.Problem:
    return kernelbench.load(source(model, **sizes), "/a/p.onnx")


def load_with_data(model: Any, name: str, data: bytes) -> kernelbench.Problem:
    graph_bytes = model.SerializeToString()
    said = json.dumps({"graph_bytes": len(graph_bytes), "data": name}).encode()
    text = b"# assay: an ONNX file and its data, {}\n" + said + b"\n" + graph_bytes + data
    return kernelbench.load(text, "/a/p.onnx")


def in_double(model: Any) -> Any:
    """The same graph of numbers in f32, in double: what its inputs, results and weights are."""
    import onnx
    from onnx import numpy_helper

    wide = onnx.ModelProto()
    wide.CopyFrom(model)
    for value in (*wide.graph.input, *wide.graph.output):
        if value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
            value.type.tensor_type.elem_type = onnx.TensorProto.DOUBLE
    for each in wide.graph.initializer:
        if each.data_type == onnx.TensorProto.FLOAT:
            array = numpy_helper.to_array(each).astype(numpy.float64)
            each.CopyFrom(numpy_helper.from_array(array, each.name))
    return wide


def drawn(*shape: int) -> Any:
    return (numpy.random.default_rng(sum(shape)).standard_normal(shape) / 2).astype(numpy.float32)


def perceptron() -> Any:
    return graph(
        "g (float[3,8] x) => (float[3,4] y, float[3,1] most) { a = Gemm<transB = 1>(x, w, b) "
        "c = Relu(a) d = MatMul(c, v) e = Tanh(d) f = Softmax<axis = 1>(e) y = Mul(f, s) "
        "most = ReduceMax<keepdims = 1>(y, axes) }",
        w=drawn(16, 8),
        b=drawn(16),
        v=drawn(16, 4),
        s=drawn(4),
        axes=numpy.array([1]),
    )


def convolutions() -> Any:
    return graph(
        "g (float[2,4,9,9] x) => (float[2,5] y) { "
        "a = Conv<pads = [1, 1, 1, 1], strides = [2, 2]>(x, w, b) "
        "n = BatchNormalization(a, scale, shift, mean, variance) r = Relu(n) "
        "d = Conv<group = 8, pads = [1, 0, 1, 0]>(r, deep) j = Concat<axis = 1>(d, d) "
        "p = MaxPool<kernel_shape = [2, 2], strides = [1, 1]>(j) g = GlobalAveragePool(p) "
        "f = Flatten(g) y = Gemm(f, head) }",
        w=drawn(8, 4, 3, 3),
        b=drawn(8),
        scale=drawn(8),
        shift=drawn(8) + 1,
        mean=drawn(8),
        variance=drawn(8) ** 2 + numpy.float32(0.5),
        deep=drawn(8, 1, 3, 1),
        head=drawn(16, 5),
    )


def attention() -> Any:
    return graph(
        "g (float[2,6,8] x) => (float[2,6,8] y) { m = ReduceMean<keepdims = 1>(x, last) "
        "c = Sub(x, m) q = Mul(c, c) v = ReduceMean<keepdims = 1>(q, last) w = Add(v, small) "
        "r = Sqrt(w) n = Div(c, r) h = MatMul(n, into) a, b, d = Split<axis = 2>(h, parts) "
        "t = Transpose<perm = [0, 2, 1]>(b) s = MatMul(a, t) k = Where(mask, s, low) "
        "p = Softmax<axis = -1>(k) o = MatMul(p, d) e = Sigmoid(o) f = Mul(o, e) y = Add(f, x) }",
        last=numpy.array([2]),
        small=numpy.float32(1e-3),
        into=drawn(8, 24),
        parts=numpy.array([8, 8, 8]),
        mask=numpy.tril(numpy.ones((6, 6), bool)),
        low=numpy.float32(-50),
    )


def shapes() -> Any:
    return graph(
        "g (float[2,3,4] x) => (float[3,10] y, float[2,12] z) { "
        "s = Slice(x, one, three, last) p = Pad(s, pads) t = Transpose<perm = [1, 0, 2]>(p) "
        "f = Reshape(t, to) c = CumSum(f, axis) g = Gather<axis = 0>(rows, ids) "
        "y = Mul(c, g) u = Expand(k, whole) m = Max(x, u) r = Reshape(m, flat) "
        "e = Exp(r) l = Add(e, k) z = Log(l) }",
        one=numpy.array([1]),
        three=numpy.array([4]),
        last=numpy.array([2]),
        pads=numpy.array([0, 0, 1, 0, 0, 1]),
        to=numpy.array([3, 10]),
        axis=numpy.array(1),
        rows=drawn(5, 10),
        ids=numpy.array([4, 0, 2]),
        k=numpy.float32(0.25),
        whole=numpy.array([2, 3, 4]),
        flat=numpy.array([2, 12]),
    )


def put_outside(tensor: Any, location: str, offset: int, length: int | None) -> None:
    from onnx import external_data_helper

    tensor.raw_data = b""
    external_data_helper.set_external_data(tensor, location, offset, length)
    tensor.ClearField("raw_data")


def numpy_array(values: list[float], name: str) -> Any:
    from onnx import numpy_helper

    return numpy_helper.from_array(numpy.asarray(values, numpy.float32), name)


def onnx_node(kind: str, inputs: list[str], outputs: list[str]) -> Any:
    from onnx import helper

    return helper.make_node(kind, inputs, outputs)


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
            "r = Squeeze(s, one) e = Gather(table, r) f = Div(e, half) c = Clip(f, half) "
            "q = QuantizeLinear<output_dtype = 3>(c, half) y = Cast<to = 1>(q) }"
        )
        model = graph(
            text,
            opset=21,
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

    def test_branches_may_use_each_others_names(self) -> None:
        branch = "If(yes) <then_branch = {0} () => (float[{1}] t) {{ t = {2} }}, "
        branch += "else_branch = {0}b () => (float[{1}] e) {{ e = Neg(x) }}>"
        text = (
            "g (float[2] x) => (float[2] y) "
            "{{ a = {0} b = {1} c = {2} d = Add(a, b) y = Mul(d, c) }}"
        )
        computed, known = branch.format("p", 2, "Neg(x)"), branch.format("q", 1, "Add(one, one)")
        last = branch.format("r", 2, "Abs(x)")
        model = graph(
            text.format(computed, known, last),
            yes=numpy.array(True),
            one=numpy.array([1], numpy.float32),
        )
        self.assertEqual(load(model).build()(torch.tensor([1.0, -2.0])).tolist(), [1.0, 8.0])

    def test_names_that_differ_in_signs_are_held_apart(self) -> None:
        text = (
            "g (float[2] x) => (float[2] y) { a = Mul(x, a_b_2) b = Add(a, other) y = Sub(b, a_b) }"
        )
        weights = {
            name: numpy.full(2, value, numpy.float32)
            for name, value in (("a_b_2", 3), ("other", 20), ("a_b", 100))
        }
        model = graph(text, **weights)
        model.graph.initializer[1].name = model.graph.node[1].input[1] = "a.b"
        self.assertEqual(load(model).build()(torch.ones(2)).tolist(), [-77.0, -77.0])

    def test_a_power_has_the_type_of_its_base(self) -> None:
        text = "g (int64[2] n) => (float[2] y) { y = Pow(base, n) }"
        for base in (numpy.float32(2), numpy.full(2, 2, numpy.float32)):
            y = load(graph(text, base=base)).build()(torch.tensor([3, -1]))
            self.assertEqual((y.dtype, y.tolist()), (torch.float32, [8.0, 0.5]))
        text = "g (float16[2] n) => (int64[2] y) { y = Pow(base, n) }"
        y = load(graph(text, base=numpy.int64(9))).build()(torch.tensor([0.5, 2.0]).half())
        self.assertEqual((y.dtype, y.tolist()), (torch.int64, [3, 81]))

    def test_a_quantized_type_needs_no_zero_point(self) -> None:
        text = "g (float[2] x) => (int8[2] y) { y = QuantizeLinear<output_dtype = 3>(x, half) }"
        y = load(graph(text, opset=21, half=numpy.float32(0.5))).build()(torch.tensor([-3.0, 90.0]))
        self.assertEqual((y.dtype, y.tolist()), (torch.int8, [-6, 127]))

    def test_a_sum_of_those_before_has_nothing_of_its_own_element(self) -> None:
        text = "g (float[3] x) => (float[3] y) { y = CumSum<exclusive = 1>(x, zero) }"
        y = load(graph(text, zero=numpy.int64(0))).build()(torch.tensor([1.0, 1e20, 2.0]))
        self.assertEqual(y.tolist()[:2], [0.0, 1.0])

    def test_a_size_of_minus_one_is_none(self) -> None:
        model = graph("g (float[2,b] x) => (float[2,b] y) { y = Neg(x) }")
        model.graph.input[0].type.tensor_type.shape.dim[1].dim_value = -1
        self.assertEqual(list(load(model).inputs()[0].shape), [2, 1])

    def test_what_meant_something_else_is_refused(self) -> None:
        with self.assertRaisesRegex(Explained, "operation set 6, and those from 7 on"):
            load(graph("g (float[2] x) => (float[2] y) { y = Neg(x) }", opset=6))

    def test_an_early_resize_has_no_region(self) -> None:
        text = 'g (float[1,1,2] x) => (float[1,1,4] y) { y = Resize<mode = "nearest">(x, s) }'
        model = graph(text, opset=10, s=numpy.array([1, 1, 2], numpy.float32))
        self.assertEqual(
            load(model).build()(torch.tensor([[[1.0, 2.0]]])).tolist(), [[[1.0, 1.0, 2.0, 2.0]]]
        )

    def test_what_is_known_is_a_tensor_where_a_rule_wants_one(self) -> None:
        reads = "g (float[2,1] x) => (float[2,1] y) { y = Gemm(x, w) }"
        model = graph(reads, w=numpy.array([[3]], numpy.float32))
        self.assertEqual(load(model).build()(torch.ones(2, 1)).tolist(), [[3.0], [3.0]])
        for kind, wanted in (("And", False), ("Or", True), ("Xor", True)):
            model = graph(f"g (bool[1] x) => (bool[1] y) {{ y = {kind}(x, c) }}", c=False)
            self.assertEqual(load(model).build()(torch.tensor([True])).tolist(), [wanted])
        # Too large to be folded.
        for step, size in (("Tile(c, n)", 4000), ("Pad(c, n)", 4002)):
            text = f"g (int64[1] x) => (int64[{size}] y) {{ t = {step} y = Add(x, t) }}"
            n = numpy.array([2000] if size == 4000 else [1000, 3000])
            y = load(graph(text, c=numpy.array([1, 2]), n=n)).build()(torch.tensor([5]))
            self.assertEqual((len(y), int(y.max())), (size, 7))

    def test_what_a_rule_stumbles_over_names_the_operation(self) -> None:
        text = "g (float[2] x) => (float[2] y) { y = Neg(x) }"
        rules: tuple[Callable[..., Any], ...] = (
            lambda node, x: x.nothing,
            lambda node, x: {}[x.dim()],
        )
        for rule in rules:
            with mock.patch.dict(RULES, Neg=rule), self.assertRaisesRegex(Explained, "^Neg: "):
                load(graph(text))

    def test_weights_in_other_files_are_told_wherever_they_are(self) -> None:
        constant = graph(
            "g (float[2] x) => (float[2] y) { c = Constant<value = float[1] {1}>() y = Add(x, c) }"
        )
        constant.graph.node[0].attribute[0].t.data_location = 1
        text = (
            "g (float[2] x) => (float[2] y) { y = If(yes) "
            "<then_branch = a () => (float[2] p) { p = Neg(x) }, "
            "else_branch = b () => (float[2] q) { q = Add(x, w) }> }"
        )
        branch = graph(text, yes=True)
        weight = linear().graph.initializer[0]
        weight.data_location = 1
        branch.graph.node[0].attribute[1].g.initializer.append(weight)
        for model in (constant, branch):
            with self.assertRaisesRegex(Explained, "its weights lie in another file, '', and"):
                load(model)

    def test_weights_in_the_file_beside_are_read(self) -> None:
        model = linear()
        kept = model.graph.initializer[0].raw_data
        model.graph.initializer.append(numpy_array([5.0, 6.0, 7.0], "b"))
        model.graph.node.append(onnx_node("Add", ["y", "b"], ["z"]))
        model.graph.output[0].name = "z"
        data = b"begin" + kept + model.graph.initializer[1].raw_data
        places = {"w": (5, 48), "b": (53, None)}
        for each in model.graph.initializer:
            put_outside(each, "p.onnx.data", *places[each.name])
        problem = load_with_data(model, "p.onnx.data", data)
        y = problem.build()(torch.ones(1, 4))
        self.assertEqual(y.tolist(), [[18.0 + 5, 22.0 + 6, 26.0 + 7]])
        as_onnx = problem.build().as_onnx()
        self.assertNotIn(b"p.onnx.data", as_onnx)
        for name, cut, message in (
            ("q.onnx.data", len(data), "another file, 'p.onnx.data', and beside FILE.onnx only"),
            ("p.onnx.data", 52, "'p.onnx.data' has 52 bytes, and 'w' would end behind them"),
        ):
            with self.subTest(message=message), self.assertRaisesRegex(Explained, message):
                load_with_data(model, name, data[:cut])
        model.graph.initializer[0].external_data[1].value = "x"
        with self.assertRaisesRegex(Explained, "does not say where 'w' lies in 'p.onnx.data'"):
            load_with_data(model, "p.onnx.data", data)

    def test_a_pool_rounds_up_only_with_paddings_of_torchs(self) -> None:
        text = (
            "g (float[1,1,5] x) => (float[1,1,n] y) {{ y = MaxPool<kernel_shape = [{0}], "
            "strides = [2], pads = [{1}], ceil_mode = 1>(x) }}"
        )
        for kernel, pads in (("2", "0, 1"), ("3", "2, 2")):
            with (
                self.subTest(pads=pads),
                self.assertRaisesRegex(Explained, "^MaxPool: it rounds up, and its paddings"),
            ):
                load(graph(text.format(kernel, pads)))
        y = load(graph(text.format("2", "1, 1"))).build()(torch.arange(5.0).reshape(1, 1, 5))
        self.assertEqual(y.tolist(), [[[0.0, 2.0, 4.0]]])

    def test_a_resize_keeps_two_dimensions(self) -> None:
        text = 'g (float[{0}] x) => (float[{1}] y) {{ y = Resize<mode = "nearest">(x, none, {2}) }}'
        none = numpy.array([], numpy.float32)
        for shape, to, held, message in (
            (
                "1,2,2,3",
                "1,4,4,3",
                {"s": numpy.array([1, 2, 2, 1], numpy.float32)},
                r"scales begin with \[1.0, 2.0\]",
            ),
            ("1,2,2,3", "1,4,4,3", {"z": numpy.array([1, 4, 4, 3])}, r"sizes begin with \[1, 4\]"),
            ("2,3", "4,6", {"s": numpy.array([2, 2], numpy.float32)}, "its input has 2 dimensions"),
            ("2", "4", {"s": numpy.array([2], numpy.float32)}, "its input has 1 dimensions"),
        ):
            given = "s" if "s" in held else "none, z"
            model = graph(text.format(shape, to, given), none=none, **held)
            with (
                self.subTest(held=held),
                self.assertRaisesRegex(Explained, f"^Resize: .*{message}"),
            ):
                load(model)

    def test_what_is_wrong_is_said(self) -> None:
        unary = "g (float[2] x) => (float[2] y) {{ y = {}(x) }}"
        outside = linear()
        outside.graph.initializer[0].data_location = 1
        for model, message in (
            (b"nonsense", "it is no ONNX file, or is cut off"),
            (b"", "it is no ONNX file: it holds no graph"),
            (linear().SerializeToString()[:-20], "it is no ONNX file, or is cut off"),
            (outside, "its weights lie in another file"),
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

    def test_whole_graphs_are_judged_by_what_onnx_computes_in_double(self) -> None:
        """Beside the rule for each operation: what is right of a graph is what onnx's own evaluator
        makes of it, and so no reader of ours decides alone what is right."""
        from onnx import reference

        for make in (perceptron, convolutions, attention, shapes):
            model = make()
            evaluator = reference.ReferenceEvaluator(in_double(model))
            with (
                self.subTest(graph=make.__name__),
                Zygote.started("oracle") as oracle,
                judged(oracle, source(model), path="/a/p.onnx") as judge,
            ):
                self.assertIn("built", judge.build())
                judge.draw()
                judge.compute()
                (given,) = (judge.blocks["inputs"].tensor(each) for each in judge.inputs)
                wanted = evaluator.run(None, {"x": given.double().numpy()})
                found = judge.values("reference")
                self.assertEqual(len(found), len(wanted))
                for ours, theirs in zip(found, wanted, strict=True):
                    self.assertEqual((ours.dtype, theirs.dtype), (torch.float64, numpy.float64))
                    torch.testing.assert_close(
                        ours, torch.from_numpy(theirs), rtol=1e-10, atol=1e-12
                    )


if __name__ == "__main__":
    unittest.main()
