"""What benches say of what they leave out."""

import sys
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "bench"))

from models import reason  # noqa: E402

COMPILER = """Traceback (most recent call last):
  File "network_step.py", line 90, in compile_iree
    raise CompilerToolError(process)
iree.compiler.tools.binaries.CompilerToolError: Error invoking IREE compiler tool iree-compile
Error code: 1
Diagnostics:
mm.mlir:9:10: error: failed to legalize operation 'torch.aten.item'
    %1 = torch.aten.item %0
         ^
"""


class Reason(unittest.TestCase):
    def test_a_compilers_line_goes_before_pythons(self) -> None:
        line = "mm.mlir:9:10: error: failed to legalize operation 'torch.aten.item'"
        self.assertEqual(reason(COMPILER, 1), line)

    def test_else_it_is_what_was_raised(self) -> None:
        raised = "Traceback:\n    raise CompilerToolError(process)\nValueError: no such size\n"
        self.assertEqual(reason(raised, 1), "ValueError: no such size")
        self.assertEqual(reason("    raise CompilerToolError(process)\n", 3), "exit 3")


if __name__ == "__main__":
    unittest.main()
