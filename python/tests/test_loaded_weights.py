"""Weights from files: which names fit, what is refused, and what a worker makes of them."""

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from judging import judged
from serving import Zygote
from torch import Tensor, nn

from assay_worker import loaded_weights, safetensors_file
from assay_worker.failure import Explained

_WORDS = {dtype: word for word, dtype in safetensors_file.TYPES.items()}


def written(tensors: dict[str, Tensor], **told: Any) -> bytes:
    """A file with these. `told` is said of the first in the place of what is true."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, tensor in tensors.items():
        data = bytes(tensor.contiguous().reshape(-1).view(torch.uint8).numpy())
        header[name] = {
            "dtype": _WORDS[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [len(body), len(body) + len(data)],
        } | told
        told, body = {}, body + data
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


class Files(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def weights(self, *files: bytes) -> dict[str, Any]:
        names = [f"m-{n}.safetensors" for n in range(len(files))]
        for name, content in zip(names, files, strict=True):
            (self.folder / name).write_bytes(content)
        return {"folder": str(self.folder), "files": names}

    def refused(self, model: nn.Module, *files: bytes) -> str:
        with self.assertRaises(Explained) as raised:
            loaded_weights.load(model, self.weights(*files))
        return str(raised.exception)


class Reader(Files):
    def test_every_type_is_read_as_it_is(self) -> None:
        for dtype in _WORDS:
            values = torch.tensor([[0, 1, 2], [4, 8, 16]]).to(dtype)
            with self.subTest(dtype=dtype):
                self.weights(written({"odd": torch.zeros(3, dtype=torch.uint8), "x": values}))
                found = safetensors_file.read(str(self.folder / "m-0.safetensors"))["x"].tensor()
                self.assertEqual((found.dtype, found.shape), (dtype, (2, 3)))
                self.assertTrue(torch.equal(found.view(torch.uint8), values.view(torch.uint8)))

    def test_what_is_damaged_is_said(self) -> None:
        sound = written({"x": torch.ones(2, 3)})
        length = int.from_bytes(sound[:8], "little")
        twice = b'{"x": {}, "x": {}}'
        cases = {
            b"": "is no safetensors file",
            b"PK\x03\x04 and so on": "is no safetensors file",
            sound[:-1]: "is cut off",
            sound + b"more": "has more in it",
            len(twice).to_bytes(8, "little") + twice: "a name stands there twice",
            sound[:8] + b"\xff" * length + sound[8 + length :]: "its header is damaged",
            sound[:8] + b"[" * length + sound[8 + length :]: "its header is damaged",
            written({"x": torch.ones(2)}, shape=[3]): "'x' is F32[3], and has 8 bytes",
            written({"x": torch.ones(2)}, shape=[-2]): "what it says of 'x' is no tensor",
            written({"x": torch.ones(2)}, data_offsets=[0]): "what it says of 'x' is no tensor",
            written({"x": torch.ones(2)}, dtype="F4"): "'x' is of F4, a type that is not taken",
            written({"x": torch.ones(2)}, dtype=[]): "'x' is of [], a type that is not taken",
            written({"x": torch.ones(2), "y": torch.ones(2)}, data_offsets=[8, 16]): "overlap",
        }
        for content, expected in cases.items():
            with self.subTest(expected=expected):
                self.assertIn(expected, self.refused(nn.Linear(3, 2), content))

    def test_what_cannot_be_opened_is_said(self) -> None:
        weights = self.weights(written({"x": torch.ones(2)}))
        with (
            mock.patch("builtins.open", side_effect=PermissionError),
            self.assertRaisesRegex(Explained, "m-0.safetensors is not readable for all"),
        ):
            loaded_weights.load(nn.Linear(3, 2), weights)


class Names(Files):
    def check(self, model: nn.Module, tensors: dict[str, Tensor]) -> nn.Module:
        loaded_weights.load(model, self.weights(written(tensors)))
        return model

    def test_modules_in_front_may_be_left_out(self) -> None:
        weight = torch.arange(6.0).reshape(2, 3)
        for theirs in ("", "base.", "a.b."):
            for wraps in range(3):
                model: nn.Module = nn.ModuleDict({"inner": nn.Linear(3, 2, bias=False)})
                for _ in range(wraps):
                    model = nn.ModuleDict({"model": model})
                tensors = {f"{theirs}inner.weight": weight, "head.weight": torch.ones(1)}
                with self.subTest(theirs=theirs, wraps=wraps):
                    (found,) = self.check(model, tensors).parameters()
                    self.assertTrue(torch.equal(found, weight))

    def test_tied_tensors_are_there_once(self) -> None:
        model = nn.ModuleDict({"base": nn.ModuleDict({"table": nn.Embedding(4, 2)})})
        model["head"] = nn.Linear(2, 4, bias=False)
        model["head"].weight = model["base"]["table"].weight
        for name in ("base.table.weight", "head.weight", "table.weight"):
            with self.subTest(name=name):
                self.check(model, {name: torch.full((4, 2), 5.0)})
                self.assertTrue(bool((model["head"].weight == 5).all()))
                with torch.no_grad():
                    model["head"].weight.zero_()

    def test_types_are_cast_and_whole_numbers_are_not(self) -> None:
        for dtype in (torch.float16, torch.bfloat16, torch.float64):
            model = self.check(nn.Linear(1, 2, bias=False), {"weight": torch.ones(2, 1).to(dtype)})
            self.assertEqual(next(model.parameters()).dtype, torch.float32)
        whole = written({"weight": torch.ones(2, 1, dtype=torch.int8)})
        self.assertIn("in torch.int8", self.refused(nn.Linear(1, 2, bias=False), whole))

    def test_values_with_a_scale_are_not_taken_without_it(self) -> None:
        model = nn.Linear(1, 2, bias=False)
        for dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
            tensors = {"weight": torch.ones(2, 1).to(dtype)}
            self.check(model, tensors)  # without a scale they are what they are
            for scale in ("weight_scale", "weight_scale_inv"):
                with self.subTest(dtype=dtype, scale=scale):
                    said = self.refused(model, written(tensors | {scale: torch.full((1,), 0.5)}))
                    self.assertIn(f"with '{scale}' beside it", said)
                    self.assertNotIn("\n", said)
        kept = nn.Module()  # multiplies by itself
        for name, values in {"weight": torch.ones(2), "weight_scale": torch.ones(1)}.items():
            typed = values.to(torch.float8_e4m3fn) if name == "weight" else values
            kept.register_buffer(name, typed)
        self.check(kept, {k: v.clone() for k, v in kept.state_dict().items()})

    def test_shards_are_one(self) -> None:
        weight, bias = torch.ones(2, 3), torch.full((2,), 7.0)
        model = nn.Linear(3, 2)
        shards = written({"weight": weight}), written({"bias": bias})
        loaded_weights.load(model, self.weights(*shards))
        self.assertTrue(torch.equal(model.bias.detach(), bias))
        self.assertIn("have 'bias' twice", self.refused(model, *shards, shards[1]))

    def test_what_does_not_fit_is_named(self) -> None:
        model = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
        state = {k: v for k, v in model.state_dict().items() if not k.startswith("1.num")}
        self.check(model, state)  # torch itself does without that
        without = {k: v for k, v in state.items() if k not in ("1.running_var", "0.bias")}
        self.assertEqual(
            self.refused(model, written(without)),
            "the weights have no '0.bias' [2], and 1 more of the model's",
        )
        other = state | {"0.weight": torch.ones(4, 3)}
        self.assertIn(
            "have '0.weight' as [4, 3], and the model's '0.weight' is [2, 3]",
            self.refused(model, written(other)),
        )
        self.assertIn(
            "no name in the weights fits", self.refused(model, written({"x": state["0.bias"]}))
        )
        self.assertIn("the weights have no tensors", self.refused(model, written({})))
        self.assertIn("the model has no tensors", self.refused(nn.ReLU(), written(state)))
        two = {f"{side}.weight": torch.ones(2, 3) for side in ("decoder", "encoder")}
        self.assertIn("fit in two ways", self.refused(nn.Linear(3, 2, bias=False), written(two)))


SOURCE = """
import torch
WIDTH = 3
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(WIDTH, 2)
    def forward(self, x):
        return self.layer(x)
def get_inputs():
    return [torch.randn(4, WIDTH)]
"""


class Workers(Files):
    def test_an_oracle_loads_them_when_it_is_asked_to(self) -> None:
        state = {"layer.weight": torch.full((2, 3), 2.0), "layer.bias": torch.zeros(2)}
        weights = self.weights(written(state))
        with (
            Zygote.started("oracle") as oracle,
            judged(oracle, SOURCE, weights=weights) as judge,
        ):
            for loaded in (True, False, True):
                self.assertIn("built", judge.build(loaded=loaded))
                of_judge = judge.blocks["constants"].tensor(judge.state[0])
                self.assertEqual(bool((of_judge == 2).all()), loaded)
                judge.draw()
                judge.compute()
                (got,) = judge.values("baseline")
                sums = 2 * judge.blocks["inputs"].tensor(judge.inputs[0]).sum(1, keepdim=True)
                self.assertEqual(torch.allclose(got, sums.expand(4, 2), atol=1e-5), loaded)
            (self.folder / "m-0.safetensors").write_bytes(written({"layer.bias": torch.ones(2)}))
            failed = judge.build(loaded=True)["failed"]
            self.assertEqual(failed["class"], "setup")
            self.assertIn("the weights have no 'layer.weight' [2, 3]", failed["error"])


if __name__ == "__main__":
    unittest.main()
