"""Drawn weights: archives that make an exported program compute what eager computes."""

import tempfile
import unittest
import warnings
from pathlib import Path
from typing import Any

import torch
from compiling import Compiled
from iree.turbine.aot import ParameterArchive
from serving import EXPORT, SEED, WEIGHTS, Outcome, Serving, Zygote
from test_loaded_weights import written

from assay_worker import kernelbench

NETWORK = """
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.conv = nn.Conv1d(8, 8, 3, padding=1)
        self.norm = nn.BatchNorm1d(8)
        self.net = nn.GRU(8, 8, bidirectional=True, batch_first=True)
        self.mix = nn.Linear(16, 8)
        self.head = nn.Linear(8, 20, bias=False)
        self.head.weight = self.embed.weight
        self.h0 = torch.rand(2, 2, 8)
        nn.init.normal_(self.norm.running_mean)
        self.register_buffer("scale", scale)
    def forward(self, x):
        x = self.embed(x).transpose(1, 2)
        x = self.norm(self.conv(x)).transpose(1, 2)
        return self.head(self.mix(self.net(x, self.h0)[0])) * self.scale
def get_init_inputs():
    return [torch.rand(20)]
def get_inputs():
    return [torch.randint(0, 20, (2, 6))]
"""


def eager(source: str, seed: int = SEED) -> tuple[torch.nn.Module, list[Any]]:
    """The model and its inputs as KernelBench makes them."""
    workload = kernelbench.load(source.encode(), "/x/p.py")
    torch.manual_seed(seed)
    assert workload.get_init_inputs is not None
    arguments = workload.get_init_inputs()
    torch.manual_seed(seed)
    return workload.model_class(*arguments).eval(), workload.inputs()


class Weights(Serving):
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)

    def drawn(self, source: str, **job: Any) -> Outcome:
        outcome = self.zygote.job({**WEIGHTS, **job}, source)
        self.assertEqual(outcome.status, 0, outcome.printed)
        return outcome

    def export(self, source: str, precision: str) -> Outcome:
        outcome = self.zygote.job({**EXPORT, "precision": precision}, source)
        self.assertIn("ok", outcome.answer, str(outcome.answer)[:500])
        return outcome

    def archive(self, source: str, **job: Any) -> Path:
        outcome = self.drawn(source, **job)
        self.assertIn("ok", outcome.answer, str(outcome.answer)[:500])
        self.assertEqual(outcome.answer["ok"]["archive_bytes"], len(outcome.mlir))
        path = self.folder / "weights.irpa"
        path.write_bytes(outcome.mlir)
        return path

    def entries(self, archive: Path) -> dict[str, torch.Tensor]:
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
        return {key: entry.as_tensor().clone() for key, entry in ParameterArchive(archive).items()}

    def test_program_and_archive_compute_what_eager_computes(self) -> None:
        for precision, dtype, tolerance in (
            ("f32", torch.float32, 1e-6),
            ("f16", torch.float16, 2e-3),
        ):
            with self.subTest(precision=precision):
                exported = self.export(NETWORK, precision)
                archive = self.archive(NETWORK, precision=precision)
                model, inputs = eager(NETWORK)
                (result,) = Compiled(exported.mlir, archive)(*inputs)
                model.h0 = model.h0.to(dtype)
                with torch.no_grad():
                    expected = model.to(dtype)(*inputs)
                self.assertGreater(expected.double().std().item(), 0.05)
                torch.testing.assert_close(result, expected, rtol=0, atol=tolerance)

    def test_values_at_each_precision(self) -> None:
        for precision, dtype in (
            ("f32", torch.float32),
            ("f16", torch.float16),
            ("bf16", torch.bfloat16),
            ("f64", torch.float64),
        ):
            model, _ = eager(NETWORK)
            expected = {**model.to(dtype).state_dict(), "h0": model.h0.to(dtype)}
            del expected["embed.weight"]  # the head's, and only once
            entries = self.entries(self.archive(NETWORK, precision=precision))
            self.assertEqual(set(entries), set(expected))
            for name, tensor in expected.items():
                self.assertTrue(torch.equal(entries[name].reshape(tensor.shape), tensor), name)

    def test_loaded_ones_are_in_the_archive(self) -> None:
        model, _ = eager(NETWORK, seed=7)
        tensors = model.bfloat16().state_dict()
        (self.folder / "model.safetensors").write_bytes(written(tensors))
        weights = {"folder": str(self.folder), "files": ["model.safetensors"]}
        entries = self.entries(self.archive(NETWORK, weights=weights))
        for name in ("mix.bias", "head.weight", "norm.running_mean"):
            self.assertTrue(torch.equal(entries[name], tensors[name].float()), name)

    def test_answer(self) -> None:
        ok = self.drawn(NETWORK, precision="f16").answer["ok"]
        model, _ = eager(NETWORK)
        tensors = [*model.half().parameters(), *model.buffers(), model.h0.half()]
        self.assertEqual(ok["parameters"], len(tensors))
        self.assertEqual(ok["bytes"], sum(t.numel() * t.element_size() for t in tensors))
        self.assertEqual(ok, {**ok, **self.drawn(NETWORK, precision="f16").answer["ok"]})

    def test_a_tied_weight_has_the_name_in_the_program(self) -> None:
        mlir = self.export(NETWORK, "f32").mlir
        self.assertIn(b'"model"::"head.weight"', mlir)
        self.assertNotIn(b'"model"::"embed.weight"', mlir)

    def test_seeds(self) -> None:
        first, again, other = (self.drawn(NETWORK, seed=seed).mlir for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        with Zygote.started() as zygote:
            self.zygote, before = zygote, self.zygote
            try:
                self.assertEqual(first, self.drawn(NETWORK, seed=1, path="/y/q.py").mlir)
            finally:
                self.zygote = before

    def test_numpy_and_random_are_seeded_too(self) -> None:
        source = NETWORK.replace("[torch.rand(20)]", "[torch.rand(20) * A()]")
        source += "\nimport random, numpy\ndef A(): return random.random() + numpy.random.rand()"
        self.assertEqual(self.drawn(source).mlir, self.drawn(source).mlir)
        self.assertNotEqual(self.drawn(source).mlir, self.drawn(source, seed=8).mlir)

    def test_buffers_that_are_not_persistent_come_too(self) -> None:
        source = NETWORK.replace("scale)\n", "scale, persistent=False)\n")
        self.assertIn("scale", self.entries(self.archive(source)))

    def test_no_weights(self) -> None:
        source = """
import torch
class Model(torch.nn.Module):
    def forward(self, x): return x
def get_inputs(): return [torch.rand(2)]
"""
        self.assertEqual(self.entries(self.archive(source)), {})

    def test_failures(self) -> None:
        for source, kind, error in (
            ("x = = 1", "load", "SyntaxError"),
            (NETWORK.replace("nn.Embedding(20", "nn.Embedding('20'"), "setup", "(p.py:7"),
            (NETWORK.replace("nn.Embedding(20", "nn.Embedding(1 << 50"), "out_of_memory", ""),
            (NETWORK.replace('("scale", scale)', '("scale", scale.to_sparse())'), "import", ""),
        ):
            with self.subTest(kind=kind):
                answer = self.drawn(source).answer
                self.assertEqual(answer.get("failed", {}).get("class"), kind, str(answer)[:500])
                self.assertIn(error, answer["failed"]["error"])

    def test_no_job(self) -> None:
        for change, descriptors in (
            ({"mode": "both"}, 2),
            ({"precision": "f8"}, 2),
            ({"seed": None}, 2),
            ({"seed": -1}, 2),
            ({"path": 1}, 2),
            ({}, 1),
        ):
            with self.subTest(change=change):
                outcome = self.zygote.job({**WEIGHTS, **change}, NETWORK, descriptors)
                self.assertEqual((outcome.answers, outcome.status), ([], 1))
                self.assertIn("ProtocolError", outcome.printed)


if __name__ == "__main__":
    unittest.main()
