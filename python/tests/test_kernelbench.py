import inspect
import sys
import traceback
import unittest

from assay_worker.kernelbench import Malformed, load

SOUND = b"""from __future__ import annotations
import torch
class Model(torch.nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.width = width
def get_inputs():
    return [1]
"""


class Load(unittest.TestCase):
    def test_init_inputs_are_optional(self) -> None:
        self.assertEqual(load(SOUND, "/a/p.py").build().width, 3)
        given = SOUND + b"def get_init_inputs(): return (5,)\n"
        self.assertEqual(load(given, "/a/p.py").build().width, 5)

    def test_two_files_of_one_name_stay_apart(self) -> None:
        one = load(SOUND, "/a/p.py").model_class
        two = load(SOUND, "/b/p.py").model_class
        self.assertNotEqual(one.__module__, two.__module__)
        self.assertIs(sys.modules[one.__module__].Model, one)

    def test_source_is_found_without_a_file(self) -> None:
        self.assertIn("self.width", inspect.getsource(load(SOUND, "/no/such.py").model_class))

    def test_tracebacks_show_lines(self) -> None:
        try:
            load(b"x = 1\nraise ValueError(x)\n", "/no/such.py")
        except ValueError as error:
            self.assertIn("raise ValueError(x)", "".join(traceback.format_exception(error)))

    def test_main_guard_does_not_run(self) -> None:
        load(SOUND + b"if __name__ == '__main__': raise SystemExit\n", "/a/p.py")

    def test_malformed_files_say_what_to_do(self) -> None:
        for source, message in (
            (b"", "defines no `Model`"),
            (b"def Model(): pass", "derive it from"),
            (b"class Model: pass", "derive it from"),
            (SOUND.replace(b"get_inputs", b"inputs"), "defines no `get_inputs`"),
            (SOUND + b"get_inputs = 3", "`get_inputs` can't be called"),
            (SOUND + b"get_init_inputs = []", "`get_init_inputs` can't be called"),
        ):
            with self.subTest(message=message), self.assertRaisesRegex(Malformed, message):
                load(source, "/a/p.py")

    def test_only_lists_are_arguments(self) -> None:
        problem = load(SOUND + b"def get_init_inputs(): return {'width': 4}\n", "/a/p.py")
        with self.assertRaisesRegex(Malformed, "gave dict, not a list"):
            problem.build()


if __name__ == "__main__":
    unittest.main()
