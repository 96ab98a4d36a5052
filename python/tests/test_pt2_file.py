"""Programs of torch.export as problems: what they compute, and that nothing in them is run."""

import io
import json
import pickle
import tempfile
import unittest
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from assay_worker import kernelbench
from assay_worker.failure import Explained


def saved(model: nn.Module, *inputs: Tensor, **more: Any) -> bytes:
    buffer = io.BytesIO()
    torch.export.save(torch.export.export(model, inputs, strict=False, **more), buffer)
    return buffer.getvalue()


def load(content: bytes, **sizes: int) -> kernelbench.Problem:
    mark = b"# assay: an exported program, " + json.dumps(sizes).encode() + b"\n"
    return kernelbench.load(mark + content, "/a/p.pt2")


def changed(content: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """The archive with another file in the place of one whose name ends so."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w") as new:
        found = False
        for info in old.infolist():
            is_it = info.filename.endswith(name)
            found |= is_it
            new.writestr(info.filename, change(old.read(info)) if is_it else old.read(info))
        assert found, old.namelist()
    return buffer.getvalue()


def in_program(content: bytes, change: Callable[[Any], object]) -> bytes:
    """With its program changed, as JSON."""

    def of_text(text: bytes) -> bytes:
        program = json.loads(text)
        change(program)
        return json.dumps(program).encode()

    return changed(content, "models/model.json", of_text)


class Tagger(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(50, 8)
        self.head = nn.Linear(8, 50, bias=False)
        self.head.weight = self.table.weight
        self.layers = nn.ModuleList([nn.Linear(8, 8), nn.BatchNorm1d(8)])
        self.register_buffer("scale", torch.rand(8))
        self.register_buffer("shift", torch.rand(8), persistent=False)

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        with torch.no_grad():
            shown = mask.to(torch.float32).unsqueeze(-1)
        x = self.layers[0](self.table(ids)) * shown * self.scale + self.shift
        x = self.layers[1](x.transpose(1, 2)).transpose(1, 2)
        return self.head(torch.nn.functional.gelu(x)), x.argmax(-1)


IDS = torch.arange(12).reshape(2, 6)
MASK = torch.ones(2, 6, dtype=torch.int64)


class Computes(unittest.TestCase):
    def check(self, model: nn.Module, *inputs: Tensor, **more: Any) -> nn.Module:
        """The program's module, whose results are those of the model, as its state is."""
        found = load(saved(model, *inputs, **more)).build()
        for _ in range(2):
            expected, got = model(*inputs), found(*inputs)
            for a, b in zip(_all(expected), _all(got), strict=True):
                torch.testing.assert_close(b, a)
        mine, theirs = found.state_dict(), model.state_dict()
        self.assertEqual(set(mine), set(theirs))
        for name, tensor in theirs.items():
            self.assertTrue(torch.equal(mine[name], tensor), name)
        return found

    def test_what_the_model_computes(self) -> None:
        model = Tagger().eval()
        found = self.check(model, IDS, MASK)
        self.assertIs(found.head.weight, found.table.weight)
        self.assertIn("shift", dict(found.named_buffers()))
        self.assertNotIn("shift", found.state_dict())

    def test_what_a_call_changes(self) -> None:
        self.check(nn.Sequential(nn.BatchNorm1d(4)).train(), torch.randn(3, 4))
        functional = torch.export.export(nn.BatchNorm1d(4), (torch.randn(3, 4),), strict=False)
        buffer = io.BytesIO()
        torch.export.save(functional.run_decompositions(), buffer)
        found, norm, x = load(buffer.getvalue()).build(), nn.BatchNorm1d(4), torch.randn(3, 4)
        self.assertTrue(torch.allclose(found(x), norm(x), atol=1e-6))
        self.assertTrue(torch.allclose(found.running_var, norm.running_var))

    def test_operations_of_all_kinds(self) -> None:
        class Odd(nn.Module):  # type: ignore[misc]
            def forward(self, x: Tensor) -> Any:
                parts = torch.split(x, 2, dim=1)
                top, places = x.topk(2)
                filled = x.masked_fill(x > 0, float("-inf"))
                made = torch.arange(4, dtype=torch.float32, device="cpu") + torch.zeros(4)
                return torch.cat([parts[1], parts[0]], 1) + made, top, places, filled

        self.check(Odd(), torch.randn(3, 4))
        self.check(nn.LSTM(4, 5, batch_first=True), torch.randn(2, 3, 4))
        self.check(nn.Conv2d(3, 4, 3, padding=1), torch.randn(1, 3, 8, 8))
        attention = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
        self.check(attention, torch.randn(2, 3, 8))

    def test_arguments_that_are_no_tensors_are_part_of_it(self) -> None:
        class Plus(nn.Module):  # type: ignore[misc]
            def forward(self, x: Tensor, more: int, least: float, other: Tensor) -> Tensor:
                return (x * more + other).clamp(min=-least)

        x, other = torch.randn(3, 4), torch.randn(3, 4)
        arguments = (x, 3, float("inf"), other)
        program = torch.export.export(Plus(), arguments, strict=False)
        for each in (program, program.run_decompositions()):
            buffer = io.BytesIO()
            torch.export.save(each, buffer)
            problem = load(buffer.getvalue())
            self.assertEqual(len(problem.inputs()), 2)
            self.assertTrue(torch.equal(problem.build()(x, other), x * 3 + other))

    def test_halves_stay_halves(self) -> None:
        for dtype in (torch.float16, torch.bfloat16):
            found = self.check(nn.Linear(4, 4).to(dtype), torch.randn(2, 4).to(dtype))
            self.assertEqual(found.weight.dtype, dtype)

    def test_places_in_a_table_are_below_its_rows(self) -> None:
        ids, mask = load(saved(Tagger().eval(), IDS.repeat(20, 1), MASK.repeat(20, 1))).inputs()
        self.assertTrue(20 < int(ids.max()) < 50)
        self.assertEqual((int(mask.min()), int(mask.max())), (0, 1))

        class Picks(nn.Module):  # type: ignore[misc]
            def __init__(self, dim: int) -> None:
                super().__init__()
                self.table = nn.Parameter(torch.randn(50, 8))
                self.dim = dim

            def forward(self, ids: Tensor) -> Tensor:
                return self.table.index_select(self.dim, ids)

        (ids,) = load(saved(Picks(0), torch.zeros(200, dtype=torch.int64))).inputs()
        self.assertTrue(20 < int(ids.max()) < 50)
        problem = load(saved(Picks(1), torch.zeros(200, dtype=torch.int64)))
        self.assertEqual(tuple(problem.build()(*problem.inputs()).shape), (50, 200))

    def test_sizes_that_vary(self) -> None:
        batch = torch.export.Dim("batch", min=2, max=64)
        content = saved(nn.Linear(8, 4), torch.randn(2, 8), dynamic_shapes=({0: batch},))
        (x,) = load(content).inputs()
        self.assertEqual(tuple(x.shape), (2, 8))
        (symbol,) = json.loads(_program(content))["range_constraints"]
        for name in (symbol, "batch"):  # there is one: any name is for that
            problem = load(content, **{name: 16})
            (x,) = problem.inputs()
            self.assertEqual(tuple(problem.build()(x).shape), (16, 4))
        with self.assertRaisesRegex(Explained, f"for {symbol} from 2 to 64, and not 65"):
            load(content, batch=65)
        with self.assertRaisesRegex(Explained, "named 'batch': none has a name"):
            load(saved(nn.Linear(8, 4), torch.randn(2, 8)), batch=2)

        class Scaled(nn.Module):  # type: ignore[misc]
            def forward(self, x: Tensor) -> Tensor:
                return x / torch.sym_sqrt(x.shape[0])

        content = saved(Scaled(), torch.randn(2, 8), dynamic_shapes=({0: batch},))
        self.assertIn(b'"torch._sym_sqrt"', _program(content))
        problem = load(content, batch=16)
        (x,) = problem.inputs()
        self.assertTrue(torch.equal(problem.build()(x), x / 4))

    def test_sizes_that_follow_from_others(self) -> None:
        class Twice(nn.Module):  # type: ignore[misc]
            def forward(self, x: Tensor, y: Tensor) -> Tensor:
                return torch.cat([x, x]) + y

        rows, width = torch.export.Dim("rows", min=2, max=64), torch.export.Dim("width", min=2)
        shapes = ({0: rows, 1: width}, {0: 2 * rows, 1: width})
        content = saved(Twice(), torch.randn(3, 4), torch.randn(6, 4), dynamic_shapes=shapes)
        x, y = load(content).inputs()
        self.assertEqual((tuple(x.shape), tuple(y.shape)), ((3, 4), (6, 4)))
        with self.assertRaisesRegex(Explained, "named 'batch': there are s"):
            load(content, batch=2)
        with self.assertRaises(Explained) as raised:
            load(content, batch=2, other=3)
        names = str(raised.exception).partition("there are ")[2].split(", ")
        problem = load(content, **dict(zip(names, (5, 7), strict=True)))
        x, y = problem.inputs()
        self.assertEqual((tuple(x.shape), tuple(y.shape)), ((5, 7), (10, 7)))
        self.assertEqual(tuple(problem.build()(x, y).shape), (10, 7))

    def test_an_exporter_takes_it(self) -> None:
        problem = load(saved(Tagger().eval(), IDS, MASK))
        model = problem.build()
        program = torch.export.export(model, tuple(problem.inputs()), strict=False)
        self.assertTrue(torch.equal(program.module()(IDS, MASK)[0], model(IDS, MASK)[0]))


class Evil:
    """What a pickle does when it is read."""

    def __init__(self, marker: Path) -> None:
        self._marker = marker

    def __reduce__(self) -> Any:
        return Path.touch, (self._marker,)


class Refused(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.marker = Path(scratch.name, "marker")
        self.content = saved(nn.Linear(4, 2), torch.randn(3, 4))

    def refused(self, content: bytes) -> str:
        with self.assertRaises(Explained) as raised:
            problem = load(content)
            problem.build()(*problem.inputs())
        self.assertFalse(self.marker.exists())
        return str(raised.exception)

    def pickle(self, _: bytes) -> bytes:
        return pickle.dumps(Evil(self.marker))

    def test_sample_inputs_are_never_read(self) -> None:
        pickle.loads(self.pickle(b""))  # it would do
        self.marker.unlink()
        problem = load(changed(self.content, "sample_inputs/model.pt", self.pickle))
        self.assertEqual(tuple(problem.build()(*problem.inputs()).shape), (3, 2))
        self.assertFalse(self.marker.exists())

    def test_pickled_weights_are_not_read(self) -> None:
        def pickled(text: bytes) -> bytes:
            config = json.loads(text)
            config["config"]["weight"]["use_pickle"] = True
            return json.dumps(config).encode()

        evil = changed(self.content, "weights/model_weights_config.json", pickled)
        self.assertIn(
            "'weight' is in a pickle", self.refused(changed(evil, "weight_0", self.pickle))
        )

    def test_only_operations_of_torchs_own_are_called(self) -> None:
        for target in (
            "torch.os.system",
            "torch.load",
            "torch.ops.mylib.foo.default",
            "torch.ops.aten.from_file.default",
            "torch.ops.aten.save.default",
            "torch.ops.aten.no_such.default",
            "torch.ops.aten.linear.__class__",
            "torch.ops.higher_order.cond",
            "#something:else",
            "print",
        ):

            def change(program: Any, target: str = target) -> None:
                program["graph_module"]["graph"]["nodes"][0]["target"] = target

            with self.subTest(target=target):
                self.assertIn(f"it calls {target}", self.refused(in_program(self.content, change)))

    def test_a_name_that_is_not_taken_is_no_damage(self) -> None:
        layers = nn.ModuleDict({"3x3": nn.Linear(4, 2)})

        class Named(nn.Module):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                self.all = layers

            def forward(self, x: Tensor) -> Tensor:
                return self.all["3x3"](x)

        said = self.refused(saved(Named(), torch.randn(3, 4)))
        self.assertEqual(
            said,
            "its 'all.3x3.weight' has a name that is not taken: modules are named as in Python, or "
            "numbered",
        )

    def test_texts_are_not_evaluated(self) -> None:
        text = f"open({str(self.marker)!r}, 'w')"

        def size(program: Any) -> None:
            meta = program["graph_module"]["graph"]["tensor_values"]
            name = program["graph_module"]["graph"]["inputs"][-1]["as_tensor"]["name"]
            meta[name]["sizes"][0] = {"as_expr": {"expr_str": text, "hint": None}}

        self.assertIn("which is not taken", self.refused(in_program(self.content, size)))
        load(in_program(self.content, lambda program: program.update(guards_code=[text]))).build()
        self.assertFalse(self.marker.exists())

    def test_what_is_damaged_is_said(self) -> None:
        def version(program: Any) -> None:
            program["schema_version"]["major"] = 99

        def nodes(program: Any) -> None:
            program["graph_module"]["graph"]["nodes"][0] = {"target": "torch.ops.aten.relu.default"}

        def nobody_gives(program: Any) -> None:
            graph = program["graph_module"]["graph"]
            graph["nodes"][0]["inputs"][0]["arg"]["as_tensor"]["name"] = "nobody"

        def returns(program: Any) -> None:
            program["graph_module"]["graph"]["outputs"][0]["as_tensor"]["name"] = "nobody"

        def written(program: Any) -> None:
            (spec,) = program["graph_module"]["signature"]["output_specs"]
            arg = spec.pop("user_output")["arg"]
            spec["user_input_mutation"] = {"arg": arg, "user_input_name": "nobody"}

        def named_by_a_list(program: Any) -> None:
            specs = program["graph_module"]["signature"]["input_specs"]
            next(each for each in specs if "parameter" in each)["parameter"]["parameter_name"] = []

        def by_zero(program: Any) -> None:
            meta = program["graph_module"]["graph"]["tensor_values"]
            name = program["graph_module"]["graph"]["inputs"][-1]["as_tensor"]["name"]
            text = "FloorDiv(Integer(1), Integer(0))"
            meta[name]["sizes"][0] = {"as_expr": {"expr_str": text, "hint": None}}

        name = b"archive_version"
        at = self.content.index(name)  # in front of the file, and not in the list at the end
        no_text = bytearray(self.content)
        no_text[at : at + len(name)] = b"\xff" * len(name)
        no_text[self.content.rindex(b"PK\x03\x04", 0, at) + 7] |= 8  # says that it is UTF-8
        without = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(self.content)) as old, zipfile.ZipFile(without, "w") as new:
            for info in old.infolist():
                of_root = info.filename.endswith("archive_version")
                inside = info.filename.rpartition("/")[2] if of_root else info.filename
                new.writestr(inside, old.read(info))
        cases = {
            bytes(no_text): "it is damaged: 'utf-8' codec can't decode",
            without.getvalue(): "it is damaged: it has no archive_version",
            in_program(self.content, nobody_gives): "nothing gives its 'nobody'",
            in_program(self.content, returns): "nothing gives its 'nobody'",
            in_program(self.content, written): "it is damaged: what it says of",
            in_program(self.content, by_zero): "it is damaged: what it says of",
            in_program(self.content, named_by_a_list): "ValueError: [] is no name",
            b"": "it is no .pt2 file, or is cut off",
            b"no archive": "it is no .pt2 file, or is cut off",
            self.content[: len(self.content) // 2]: "it is no .pt2 file, or is cut off",
            changed(self.content, "archive_format", lambda _: b"zip"): "no program that torch",
            changed(self.content, "archive_version", lambda _: b"7"): "archive is of version 7",
            changed(self.content, "models/model.json", lambda _: b"{"): "it is damaged: models",
            changed(self.content, "models/model.json", lambda _: b"[]"): "is no object of JSON",
            changed(self.content, "weight_0", lambda old: old[:-4]): "larger than what is there",
            changed(self.content, "weight_0", lambda _: b""): "has no values",
            in_program(self.content, version): "its schema is of version 99",
            in_program(self.content, nodes): "it is damaged: what it says of",
            in_program(self.content, lambda p: p.pop("graph_module")): "it is damaged",
            in_program(
                self.content, lambda p: p["graph_module"]["signature"]["input_specs"].pop()
            ): "it is damaged",
        }
        for content, expected in cases.items():
            with self.subTest(expected=expected):
                self.assertIn(expected, self.refused(content))

    def test_a_flipped_bit_is_found(self) -> None:
        at = self.content.index(bytes(_weight(self.content)[:8]))
        flipped = bytearray(self.content)
        flipped[at] ^= 1
        self.assertIn("it is damaged: Bad CRC", self.refused(bytes(flipped)))

    def test_a_compressed_archive_is_refused(self) -> None:
        buffer = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(self.content)) as old:
            with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
                for info in old.infolist():
                    new.writestr(info.filename, old.read(info))
        self.assertIn("is compressed", self.refused(buffer.getvalue()))


def _all(results: Any) -> list[Tensor]:
    return [each for each in torch.utils._pytree.tree_leaves(results) if isinstance(each, Tensor)]


def _file(content: bytes, ending: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(ending))
        return archive.read(name)


def _program(content: bytes) -> bytes:
    return _file(content, "models/model.json")


def _weight(content: bytes) -> bytes:
    return _file(content, "weight_0")


if __name__ == "__main__":
    unittest.main()
