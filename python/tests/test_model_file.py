import unittest

import torch

from assay_worker.kernelbench import load
from assay_worker.model_file import BadModelFile

HEAD = b"import torch\ndef get_model(): return torch.nn.Linear(4, 2)\n"


def inputs_of(line: bytes) -> list[object]:
    return load(HEAD + b"def get_dummy_input(): return " + line, "/a/p.py").inputs()


class ModelFile(unittest.TestCase):
    def test_what_forward_is_called_with(self) -> None:
        for line, shapes in (
            (b"torch.ones(3, 4)", [(3, 4)]),
            (b"(3, 4)", [(3, 4)]),
            (b"(torch.ones(3, 4), torch.ones(2))", [(3, 4), (2,)]),
            (b"[torch.ones(3, 4)]", [(3, 4)]),
            (b"{'x': torch.ones(3, 4), 'y': torch.ones(2)}", [(3, 4), (2,)]),
        ):
            with self.subTest(line=line):
                given = inputs_of(line)
                self.assertEqual([tuple(torch.as_tensor(each).shape) for each in given], shapes)

    def test_a_shape_is_drawn(self) -> None:
        (x,) = inputs_of(b"(100, 4)")
        assert isinstance(x, torch.Tensor)
        self.assertNotEqual(float(x.std()), 0.0)

    def test_its_own_class_may_be_called_model(self) -> None:
        source = (
            b"import torch\n"
            b"class Model(torch.nn.Module):\n"
            b"    def forward(self, x): return x + 1\n"
            b"def get_model(): return Model()\n"
            b"def get_dummy_input(): return torch.ones(2)\n"
        )
        problem = load(source, "/a/p.py")
        model = problem.model_class()
        self.assertEqual(model(*problem.inputs()).tolist(), [2.0, 2.0])

    def test_names_reach_forward_in_any_order(self) -> None:
        source = (
            b"import torch\n"
            b"class Less(torch.nn.Module):\n"
            b"    def forward(self, a, b): return a - b\n"
            b"def get_model(): return Less()\n"
            b"def get_dummy_input(): return {'b': torch.ones(2), 'a': torch.full((2,), 3.0)}\n"
        )
        problem = load(source, "/a/p.py")
        model = problem.build()
        self.assertEqual(model(*problem.inputs()).tolist(), [2.0, 2.0])

    def test_a_model_of_its_own_wins(self) -> None:
        source = (
            HEAD
            + b"class Model(torch.nn.Module):\n    def forward(self, x): return x\n"
            + b"def get_inputs(): return [torch.ones(1)]\n"
        )
        self.assertEqual(len(list(load(source, "/a/p.py").build().parameters())), 0)

    def test_what_is_wrong_is_said(self) -> None:
        for source, message in (
            (HEAD, "no `get_dummy_input`: add a function"),
            (HEAD + b"def get_dummy_input(): return None", "gave NoneType: return a tensor"),
            (HEAD + b"def get_dummy_input(): return {1: torch.ones(1)}", "gave dict: return"),
            (b"def get_model(): return 3", "gave int: return the torch.nn.Module"),
        ):
            with self.subTest(message=message), self.assertRaisesRegex(BadModelFile, message):
                load(source, "/a/p.py").build()
