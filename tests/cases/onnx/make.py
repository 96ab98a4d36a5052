"""Writes graphs in ONNX: one for each thing that the case looks at."""

import sys

import numpy
import onnx
from onnx import numpy_helper, parser

HEAD = '<ir_version: 8, opset_import: ["" : 18]> '


def write(name: str, text: str, **held: numpy.ndarray) -> None:
    model = parser.parse_model(HEAD + text)
    for key, value in held.items():
        model.graph.initializer.append(numpy_helper.from_array(value, key))
    onnx.save(model, name)


numbers = numpy.random.default_rng(0)
weight = numbers.normal(size=(16, 8)).astype(numpy.float32)
table = numbers.normal(size=(50, 16)).astype(numpy.float32)
shape = numpy.array([0, -1], numpy.int64)
write(
    "tagger.onnx",
    """tagger (int64[batch,seq] ids, int64[batch,seq] mask) => (float[batch,seq,8] scores, float[batch,w] flat) {
      rows = Gather(table, ids)
      shown = Cast<to = 1>(mask)
      axes = Constant<value_ints = [2]>()
      column = Unsqueeze(shown, axes)
      masked = Mul(rows, column)
      product = MatMul(masked, weight)
      scores = Softmax<axis = -1>(product)
      flat = Reshape(scores, shape)
    }""",
    weight=weight,
    table=table,
    shape=shape,
)
# As torch.onnx.export leaves it: its weights lie beside it.
onnx.save(
    onnx.load("tagger.onnx"),
    "beside.onnx",
    save_as_external_data=True,
    location="beside.onnx.data",
    size_threshold=0,
)
write("unknown.onnx", "g (float[n] x) => (float[n] y) { z = Det(x) y = Neg(z) }")
write("values.onnx", "g (float[4] x, int64[2] s) => (float[2,2] y) { y = Reshape(x, s) }")
open("cut.onnx", "wb").write(open("tagger.onnx", "rb").read()[:-100])
open("text.onnx", "w").write("no graph\n")
with open("huge.onnx", "wb") as file:  # has no blocks on the disk
    file.truncate((1 << 30) + 1)
print("written", file=sys.stderr)
