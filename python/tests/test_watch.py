"""What is seen of a call: what torch computes in it, and what the candidate's own code hides."""

import json
import subprocess
import sys
import types
import unittest
from typing import Any

import torch

from assay_worker.watch import Watch

PATH = "/somewhere/candidate.py"
LAYER_NORM = {"native_layer_norm": 1}


def seen(source: str, *arguments: Any) -> dict[str, Any]:
    """What is told of candidate code that defines `forward`: its making, and one call."""
    watch = Watch(PATH)
    module = types.ModuleType("candidate")
    with watch.errors():
        exec(compile("import torch\n" + source, PATH, "exec"), module.__dict__)
    with torch.no_grad(), watch.errors(), watch.operations():
        module.forward(*arguments)
    told: dict[str, Any] = json.loads(watch.told())
    return told


class Operations(unittest.TestCase):
    def counted(self, source: str) -> dict[str, int]:
        told = seen(source, torch.ones(2, 2))["operations"]
        return {each["name"]: each["calls"] for each in told}

    def operations(self, body: str) -> dict[str, int]:
        return self.counted(f"def forward(x):\n    return {body}")

    def test_are_those_that_compute(self) -> None:
        self.assertEqual(self.operations("torch.mm(x, x) + x"), {"mm": 1, "add": 1})
        self.assertEqual(self.operations("x.clone().add_(x)"), {"add": 1})
        self.assertEqual(self.operations("torch.add(x, x, out=torch.empty(2, 2))"), {"add": 1})
        self.assertEqual(self.operations("torch.nn.functional.linear(x, x, x[0])"), {"addmm": 1})

    def test_are_not_those_that_move_or_make(self) -> None:
        for body in (
            "torch.empty(2, 2)",
            "torch.zeros_like(x)",
            "x.new_zeros(3)",
            "torch.arange(4).view(2, 2)",
            "x.t().contiguous()",
            "x.double().float()",
            "torch.cat((x, x))",
            "torch.empty(2, 2).copy_(x).fill_(1)",
            "x[0].unsqueeze(0).expand(3, 2)",
            "x.numpy() @ x.numpy()",
            "torch.nn.functional.pad(x, (1, 1)).flip(0).repeat(2, 1)",
        ):
            with self.subTest(body):
                self.assertEqual(self.operations(body), {})

    def test_are_counted_once(self) -> None:
        # Each calls others that compute.
        self.assertEqual(self.operations("x.mean()"), {"mean": 1})
        self.assertEqual(self.operations("torch.nn.functional.layer_norm(x, (2,))"), LAYER_NORM)

    def test_are_seen_wherever_they_are_called_from(self) -> None:
        # By torch's own C++ code, in an operation of the candidate's, in another thread.
        body = "torch.jit.script(torch.nn.Linear(2, 2))(x)"
        self.assertIn("addmm", self.operations(body))
        source = """
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(1)

@torch.library.custom_op("mine::norm", mutates_args=())
def norm(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x, x.shape[-1:])

def forward(x):
    norm(x)
    return pool.submit(torch.mm, x, x).result()
"""
        found = self.counted(source)
        self.assertEqual(found, {**LAYER_NORM, "mm": 1})

    def test_are_of_torch(self) -> None:
        found = self.operations("torch.ops.prims.mul(x, x)")
        self.assertEqual(found, {"prims::mul": 1})

    def test_compiled_are_told_as_such(self) -> None:
        source = """
@torch.compile(backend="eager")
def forward(x):
    return x + x
"""
        found = self.counted(source)
        self.assertIn("torch.compile", found)

    def test_are_seen_without_the_compiler(self) -> None:
        # Which torch would import into each candidate's process, for more than a second.
        watched = (
            "import sys, torch\nfrom assay_worker.watch import Watch\n"
            "with Watch('').operations(): torch.ones(2) + 1\n"
            "print('torch._dynamo' in sys.modules)"
        )
        said = subprocess.run(
            [sys.executable, "-c", watched], capture_output=True, text=True, check=True
        )
        self.assertEqual(said.stdout, "False\n")


class Hidden(unittest.TestCase):
    def hidden(self, source: str) -> list[list[Any]]:
        return [[each["error"], each["line"]] for each in seen(source)["hidden"]]

    def test_is_what_fails_and_is_caught(self) -> None:
        source = """
try:
    import there_is_no_such_module
except ImportError:
    pass

def fast():
    raise OSError("no such library")

def forward():
    try:
        return fast()
    except OSError:
        return torch.ones(1)
"""
        self.assertEqual(self.hidden(source), [["ModuleNotFoundError", 4], ["OSError", 13]])

    def test_is_not_how_python_looks_things_up(self) -> None:
        source = """
packed = {}

def forward():
    try:
        packed["weight"]
    except KeyError:
        packed["weight"] = next((n for n in range(3)), None)
    list(iter(int, 0))
    return hasattr(torch, "fast")
"""
        self.assertEqual(self.hidden(source), [])

    def test_is_not_what_others_catch_among_themselves(self) -> None:
        self.assertEqual(self.hidden("import doctest\ndef forward():\n    doctest.testmod()"), [])


class Told(unittest.TestCase):
    def test_has_room_whatever_there_is(self) -> None:
        name = "é" * 200
        errors = "\n".join(
            f"class E{n}{name}(Exception): pass\ntry: raise E{n}{name}\nexcept Exception: pass"
            for n in range(50)
        )
        told = seen(errors + "\ndef forward():\n    pass")
        self.assertEqual(len(told["hidden"]), 8)
        self.assertLess(len(json.dumps(told)), 4096)


if __name__ == "__main__":
    unittest.main()
