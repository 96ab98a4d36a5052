"""The bundled suite `tour`: each file runs on fake tensors, and covers what it says it covers."""

import contextlib
import json
import re
import sys
import unittest
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from serving import SUITES
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree

from assay_worker import kernelbench

TOUR = SUITES / "tour"
LEVELS = ("level1", "level2", "level3")
GB = 10**9

# What a file may name after "Covers:" in its docstring, and what its source then has. An empty
# pattern: `facts` knows.
TOPICS = {
    # products and elementwise operations
    "product": r" @ |torch\.(mv|bmm|outer)\(|nn\.Linear|F\.linear",
    "einsum of three tensors": r'einsum\(\s*"\w+,\w+,\w+',
    "diag": r"torch\.diag\(",
    "activation": r"gelu|mish|softsign|relu|hardtanh|hardswish|silu|sigmoid",
    "softmax": r"softmax\(",
    # reductions, scans and indices
    "reduction": r"\.(mean|prod|var|any|max|sum|amax)\(|avg_pool2d\(x, 1\)",
    "arg reduction": r"argmin\(|torch\.(min|max)\(.*, dim=1\)",
    "logsumexp": r"logsumexp\(",
    "cumulative sum": r"cumsum\(",
    "cumulative product": r"cumprod\(",
    "flip": r"\.flip\(",
    "topk": r"topk\(",
    "sort": r"torch\.sort\(",
    "gather": r"gather\(|self\.table\[",
    "scatter": r"scatter(_add)?\(",
    "embedding": r"nn\.Embedding\(",
    "embedding bag": r"nn\.EmbeddingBag\(",
    # normalisations
    "batch norm": r"nn\.BatchNorm[12]d",
    "instance norm": r"nn\.InstanceNorm2d",
    "group norm": r"nn\.GroupNorm",
    "layer norm": r"nn\.LayerNorm|norm_first",
    "rms norm": r"rsqrt\(x\.square\(\)\.mean",
    "frobenius norm": r"vector_norm\(x\)",
    "l1 norm": r"abs\(\)\.mean",
    "l2 norm": r"F\.normalize\(",
    "dropout": r"nn\.Dropout",
    # images and signals
    "conv 1d": r"nn\.Conv1d",
    "conv 2d": r"nn\.Conv2d",
    "conv 3d": r"nn\.Conv3d",
    "dilated convolution": r"dilation=",
    "strided convolution": r"stride=",
    "grouped convolution": r"groups=groups",
    "depthwise convolution": r"groups=\w+",
    "transposed conv 1d": r"nn\.ConvTranspose1d",
    "transposed conv 2d": r"nn\.ConvTranspose2d",
    "transposed conv 3d": r"nn\.ConvTranspose3d",
    "grouped transposed convolution": r"(?s)nn\.ConvTranspose2d\([^)]*groups=groups",
    "pooling 1d": r"MaxPool1d",
    "pooling 2d": r"pool2d\(",
    "pooling 3d": r"pool3d\(",
    "bilinear interpolation": r'mode="bilinear"',
    # losses
    "mean squared error": r"mse_loss\(",
    "cross entropy": r"cross_entropy\(|CrossEntropyLoss\(",
    "label smoothing": r"label_smoothing=",
    "smooth l1": r"smooth_l1_loss\(",
    "huber": r"huber_loss\(",
    "kl divergence": r"kl_div\(",
    "hinge loss": r"clamp\(1\.0 - ",
    "triplet loss": r"triplet_margin_loss\(",
    "cosine loss": r"cosine_embedding_loss\(",
    # networks
    "residual block": r"return (F\.relu\()?(x \+|self\.shortcut)|shortcut\(x\)",
    "MBConv": r"(?s)depthwise.*squeeze.*excite",
    "dense block": r"torch\.cat\(features",
    "U-Net": r"torch\.cat\(\[fine, self\.grow1",
    "autoencoder": r"log_variance",
    "patch embedding": r"stride=patch",
    "MLP-mixer": r"transpose\(1, 2\)\)\.transpose\(1, 2\)",
    "transformer encoder": r"nn\.TransformerEncoder\(",
    "masked attention": r"is_causal=True|self\.mask",
    "cross attention": r"nn\.MultiheadAttention\([^)]*kdim=",
    "grouped-query attention": r"repeat_interleave\(",
    "mixture of experts": r"self\.router",
    "graph convolution": r"edges",
    "LSTM": r"nn\.LSTM(Cell)?\(",
    "GRU": r"nn\.GRU\(",
    "RNN": r"nn\.RNN\(|self\.hidden = torch\.tanh",
    "bidirectional": r"bidirectional=True",
    "state-space scan": r"cumsum\(",
    # what exporters stumble over
    "in-place operator": r"inplace=True|mul_\(|\+= ",
    "boolean operation": r" & | \| |logical_or|\.any\(|masked_fill\(|torch\.where\(",
    "new_zeros": r"new_zeros\(",
    "new_full": r"new_full\(",
    "item in init": r"\.item\(\)",
    "non-persistent buffer": r"persistent=False",
    "state between calls": r"self\.hidden = torch\.tanh|self\.average\.lerp_",
    "mutated buffer": r"self\.average\.lerp_",
    "mutated constant": r"(?s)taps = torch\.tensor\(.*taps /=",
    "device in the problem": r'"cuda"',
    # a transformer's feed-forward layer wider than 256, with a layer normalisation fused into it
    "stack allocation limit": r"self\.contract\(F\.gelu\(self\.expand",
    # what goes in and comes out; see `facts`
    "several gigabytes": r"",
    "boolean input": r"",
    "integer input": r"",
    "scalar input": r"",
    "nested input": r"",
    "boolean output": r"",
    "integer output": r"",
    "several outputs": r"",
    "tuple output": r"",
    "dict output": r"",
}

# Their models are built for real, and are small: no fake tensor has a value, or moves to a device.
BUILT_FOR_REAL = ("convnext_stages", "device_literal")

# An operator without a fake kernel is unrolled, step by step: this many are enough here.
MOST_STEPS = 8


@dataclass
class Ran:
    """One file that was built and run on fake tensors."""

    source: str
    inputs: list[Any]
    outputs: Any
    weights: list[torch.Tensor]  # parameters and buffers
    facts: set[str] = field(default_factory=set)

    def bytes(self) -> int:
        results = pytree.tree_leaves(self.outputs)
        return sum(map(bytes_of, [*tensors(self.inputs), *self.weights, *tensors(results)]))


def bytes_of(tensor: torch.Tensor) -> int:
    return int(tensor.numel() * tensor.element_size())


def tensors(values: Any) -> list[torch.Tensor]:
    return [leaf for leaf in pytree.tree_leaves(values) if isinstance(leaf, torch.Tensor)]


def run(path: Path) -> Ran:
    """Builds the model and its inputs without data and runs `forward` once, in milliseconds."""
    source = path.read_text()
    problem = kernelbench.load(source.replace('"cuda"', '"cpu"').encode(), str(path))
    module = sys.modules[problem.model_class.__module__]
    if "STEPS" in vars(module):
        vars(module)["STEPS"] = min(vars(module)["STEPS"], MOST_STEPS)
    fake = FakeTensorMode(allow_non_fake_inputs=True)
    with torch.no_grad():
        with contextlib.nullcontext() if path.stem in BUILT_FOR_REAL else fake:
            model = problem.build().eval()
        with fake:
            inputs = problem.inputs()
            outputs = model(*inputs)
    ran = Ran(source, inputs, outputs, [*model.parameters(), *model.buffers()])
    ran.facts = facts(ran)
    return ran


def facts(ran: Ran) -> set[str]:
    """Those of TOPICS that can be seen from what went in and came out."""
    given, results = tensors(ran.inputs), pytree.tree_leaves(ran.outputs)
    seen = {
        "several gigabytes": any(bytes_of(tensor) > 4 * GB for tensor in given),
        "boolean input": any(tensor.dtype == torch.bool for tensor in given),
        "integer input": any(tensor.dtype == torch.int64 for tensor in given),
        "scalar input": any(isinstance(value, int | float) for value in ran.inputs),
        "nested input": any(isinstance(value, list | dict) for value in ran.inputs),
        "boolean output": any(result.dtype == torch.bool for result in results),
        "integer output": any(result.dtype == torch.int64 for result in results),
        "several outputs": len(results) > 1,
        "tuple output": isinstance(ran.outputs, tuple),
        "dict output": isinstance(ran.outputs, dict),
    }
    return {topic for topic, found in seen.items() if found}


def covered(source: str) -> list[str]:
    """What the docstring says the file covers."""
    said = re.search(r'^Covers: ([^"]+)\.$', source, re.MULTILINE)
    return said[1].replace("\n", " ").split(", ") if said else []


class Tour(unittest.TestCase):
    ran: dict[Path, Ran]

    @classmethod
    def setUpClass(cls) -> None:
        cls.ran = {path: run(path) for path in sorted(TOUR.rglob("*.py"))}

    def test_it_is_as_large_as_promised(self) -> None:
        self.assertGreaterEqual(len(self.ran), 80)
        self.assertEqual({path.parent.name for path in self.ran}, set(LEVELS))
        for level in LEVELS:
            self.assertGreaterEqual(len(list((TOUR / level).glob("*.py"))), 20)
        large = [path for path, ran in self.ran.items() if ran.bytes() > GB]
        self.assertGreaterEqual(len(large), 15)
        largest = [path for path, ran in self.ran.items() if "several gigabytes" in ran.facts]
        self.assertGreaterEqual(len(largest), 4)

    def test_a_name_is_enough(self) -> None:
        names = [path.stem for path in self.ran]
        self.assertEqual(len(names), len(set(names)))
        for name in names:
            self.assertRegex(name, r"^[a-z][a-z0-9_]*$")

    def test_something_comes_out(self) -> None:
        for path, ran in self.ran.items():
            with self.subTest(path.stem):
                for result in pytree.tree_leaves(ran.outputs):
                    self.assertGreater(result.numel(), 0)

    def test_what_a_file_covers(self) -> None:
        in_all: set[str] = set()
        for path, ran in self.ran.items():
            with self.subTest(path.stem):
                said = covered(ran.source)
                self.assertTrue(said, "the docstring has no line `Covers: ... .`")
                self.assertEqual(sorted(set(said) - set(TOPICS)), [], "no such topic")
                for topic in said:
                    if TOPICS[topic]:
                        self.assertRegex(ran.source, TOPICS[topic], topic)
                    else:
                        self.assertIn(topic, ran.facts)
                in_all |= set(said)
        self.assertEqual(sorted(set(TOPICS) - in_all), [], "no file covers it")

    def test_what_is_expected_of_it(self) -> None:
        expected = json.loads((TOUR / "expected.json").read_text())
        problems = {f"{path.parent.name}/{path.stem}" for path in self.ran}
        self.assertEqual(sorted(set(expected["part"]) - problems), [])
        self.assertEqual({problem.split("/")[0] for problem in expected["part"]}, set(LEVELS))
        targets = {path.stem for path in (SUITES.parent / "targets").glob("*.toml")}
        named: list[str] = []
        for finding in expected["findings"]:
            self.assertIn(finding["verdict"], ("failed", "unsupported"))
            self.assertTrue(finding["cause"])
            for attempt in finding["attempts"]:
                suite, level, target, name = attempt.split("/")
                self.assertEqual((suite, f"{level}/{name}" in problems), ("tour", True), attempt)
                self.assertIn(target, targets, attempt)
            named += finding["attempts"]
        self.assertEqual(len(named), len(set(named)), "one attempt has two findings")


if __name__ == "__main__":
    unittest.main()
