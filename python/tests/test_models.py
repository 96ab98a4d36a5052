"""The zoo in models/: each file is a model at each of its sizes."""

import json
import re
import unittest
from pathlib import Path

import torch
from serving import Zygote, memory

from assay_worker.kernelbench import load

REPOSITORY = Path(__file__).resolve().parents[2]
MODELS = REPOSITORY / "models"


def sizes_of(path: Path) -> dict[str, dict[str, int]]:
    """The tables of such a file, which hold whole numbers alone."""
    sizes: dict[str, dict[str, int]] = {}
    for line in path.read_text().splitlines():
        if line.startswith("["):
            sizes[line.strip("[]")] = {}
        elif sizes and line:
            name, value = line.split(" = ")
            sizes[list(sizes)[-1]][name] = int(value)
    return sizes


def at_size(path: Path, size: dict[str, int]) -> bytes:
    text = path.read_text()
    for name, value in size.items():
        if name not in ("weight_bytes", "double_bytes"):
            text, count = re.subn(
                rf"^{name.upper()} = \d+", f"{name.upper()} = {value}", text, flags=re.M
            )
            assert count == 1, (path, name)
    return text.encode()


class Zoo(unittest.TestCase):
    def test_weights_of_each_size(self) -> None:
        for path in sorted(MODELS.glob("*.py")):
            sizes = sizes_of(path.with_suffix(".toml"))
            self.assertEqual(list(sizes), ["tiny", "small", "base"], path.name)
            for name, size in sizes.items():
                with self.subTest(model=path.stem, size=name), torch.device("meta"):
                    model = load(at_size(path, size), str(path)).build()
                    held = {id(each): each for each in (*model.parameters(), *model.buffers())}
                    weights = sum(each.numel() * each.element_size() for each in held.values())
                    self.assertEqual(weights, size["weight_bytes"])

    def test_who_does_not_take_it_is_who_is_not_expected_to(self) -> None:
        expected: dict[str, set[str]] = {}
        for rule in json.loads((REPOSITORY / "tests/models/expected.json").read_text()):
            if "local" not in rule.get("targets", ["local"]) or rule.get("sometimes"):
                continue
            for name in rule["models"]:
                expected.setdefault(name, set()).add(rule["by"])
        for path in MODELS.glob("*.toml"):
            told = re.search(r"^not_by = (\[.*\])$", path.read_text(), re.M)
            authors = json.loads(told[1]) if told else []
            self.assertEqual(set(authors), expected.get(path.stem, set()), path.name)
            self.assertEqual(len(set(authors)), len(authors), path.name)

    def test_what_a_call_in_double_takes(self) -> None:
        """Where the file of sizes says it: what an oracle says is close to that."""
        with Zygote.started("oracle") as oracle:
            for path in sorted(MODELS.glob("*.py")):
                for name, size in sizes_of(path.with_suffix(".toml")).items():
                    if "double_bytes" not in size:
                        continue
                    request = {"do": "describe", "path": str(path), "mode": "eval"}
                    with (
                        self.subTest(model=path.stem, size=name),
                        oracle.conversation() as worker,
                        memory(at_size(path, size)) as file,
                    ):
                        described = worker.ask({**request, "precision": "f32"}, file)["described"]
                        said = described["bytes"]["double"] / size["double_bytes"]
                        self.assertAlmostEqual(said, 1, delta=0.05)
                        worker.ask({"do": "end"})

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def test_four_bits_are_what_they_say(self) -> None:
        """A layer of packed weights computes what its rounded weights do, near the drawn ones."""
        for name in ("llama-qlora", "llama-spinquant"):
            path = MODELS / f"{name}.py"
            model = load(path.read_bytes(), str(path)).build(lambda: torch.manual_seed(0))
            layer = model.model.layers[0].mlp.up_proj
            x = torch.randn(3, layer.packed.shape[1] * 2)
            torch.manual_seed(0)
            drawn = torch.randn(256, 64) * 0.02
            torch.manual_seed(0)
            made = type(layer)(256, 64)
            if hasattr(made, "up"):
                made.up.data.zero_()
            with self.subTest(model=name):
                self.assertEqual(made.packed.dtype, torch.uint8)
                self.assertEqual(made.packed.shape, (256, 32))
                wrong = (made(x) - x @ drawn.t()).norm() / (x @ drawn.t()).norm()
                self.assertLess(float(wrong), 0.15)  # four bits: some percent
                self.assertGreater(float(wrong), 0.01)
