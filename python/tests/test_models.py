"""The zoo in models/: each file is a model at each of its sizes."""

import re
import unittest
from pathlib import Path

import torch

from assay_worker.kernelbench import load

MODELS = Path(__file__).resolve().parents[2] / "models"


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
        if name != "weight_bytes":
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
