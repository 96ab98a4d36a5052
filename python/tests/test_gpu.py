"""What candidates are told of a GPU that is not here, and what comes of their kernels in Triton."""

import json
import subprocess
import sys
import tempfile
import unittest
from importlib import util
from pathlib import Path

import torch

from assay_worker import gpu
from assay_worker.gpu import LibraryForGpu, StandIn, why_not_here
from assay_worker.protocol import Message

# In a process of its own: what it does to torch and Triton is not undone.
PROGRAM = """
import json, os, sys
from assay_worker import gpu
gpu.pretend(json.loads(sys.argv[1]))
import torch, triton
import triton.language as tl
from assay_worker.gpu_kernels import compile_by
{setting}
@triton.jit
def add(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, {loaded} + 1, mask=i < n)

def call():
    x = torch.rand(1000)
    assert x.is_cuda and x.device.type == "cuda" and torch.cuda.is_available()
    y = torch.zeros_like(x)
    {launch}
    {behind}

if json.loads(sys.argv[1])["compile"]:
    with open("kernels", "wb") as file:
        compile_by(call, __file__, file.fileno(), False)
else:
    call()
"""
A100 = {"kind": "cuda", "architecture": "sm_80", "warp_threads": 32, "shared_bytes": 166912}
MI300X = {"kind": "hip", "architecture": "gfx942", "warp_threads": 64, "shared_bytes": 65536}
RIGHT = {
    "setting": "",
    "loaded": "tl.load(x + i, mask=i < n)",
    "launch": "add[(4,)](x, y, 1000, BLOCK=256)",
    "behind": "assert torch.equal(y, x + 1), 'not the sum'",
}


def raised(call: object) -> BaseException:
    try:
        call()  # type: ignore[operator]
    except Exception as error:
        return error
    raise AssertionError("it did not raise")


class Blame(unittest.TestCase):
    def test_what_only_a_device_has_is_not_the_candidates_fault(self) -> None:
        self.assertIn("asks for a device", why_not_here(raised(torch.cuda.current_stream)) or "")
        self.assertIn("asks for a device", why_not_here(raised(torch.cuda.CUDAGraph)) or "")
        stand_in = StandIn("fused")
        error = raised(stand_in.forward)
        self.assertIsInstance(error, LibraryForGpu)
        self.assertIn("fused.forward", why_not_here(error) or "")
        self.assertFalse(hasattr(stand_in, "__wrapped__"))

    def test_everything_else_is(self) -> None:
        self.assertIsNone(why_not_here(raised(lambda: 1 // 0)))
        self.assertIsNone(why_not_here(raised(lambda: torch.zeros(2) @ torch.zeros(3))))
        self.assertIsNone(why_not_here(None))

    def test_who_asks_decides_what_a_tensor_says(self) -> None:
        self.assertFalse(gpu._is_asked_by_torch())


@unittest.skipUnless(util.find_spec("triton"), "Triton is not installed")
class Triton(unittest.TestCase):
    def run_program(self, wanted: Message, parts: dict[str, str]) -> tuple[int, str]:
        path = Path(self.folder.name, "program.py")
        path.write_text(PROGRAM.format(**parts))
        done = subprocess.run(
            [sys.executable, str(path), json.dumps(wanted | {"phases": False})],
            cwd=self.folder.name,
            env={"PYTHONPATH": str(Path(gpu.__file__).parents[1]), "HOME": self.folder.name},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr

    def told(self, wanted: Message, **parts: str) -> tuple[Message, bytes]:
        status, errors = self.run_program(wanted | {"compile": True}, RIGHT | parts)
        self.assertEqual(status, 0, errors)
        line, _, files = Path(self.folder.name, "kernels").read_bytes().partition(b"\n")
        return json.loads(line), files

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_a_kernel_is_compiled_and_not_run(self) -> None:
        for wanted, names in ((A100, ["ptx", "cubin"]), (MI300X, ["amdgcn", "hsaco"])):
            told, files = self.told(wanted)
            (kernel,) = told["kernels"]
            self.assertEqual(kernel["name"], "add")
            self.assertEqual([each["name"] for each in kernel["files"]], names)
            self.assertEqual(sum(each["bytes"] for each in kernel["files"]), len(files))
            self.assertIn("not the sum", told["stopped"])
            self.assertNotIn("failed", told)

    def test_the_interpreter_runs_it(self) -> None:
        self.assertEqual(self.run_program(A100 | {"compile": False}, RIGHT)[0], 0)
        wrong = RIGHT | {"loaded": "tl.load(x + i, mask=i < n) + 1"}
        status, errors = self.run_program(A100 | {"compile": False}, wrong)
        self.assertEqual(status, 1)
        self.assertIn("not the sum", errors)

    def test_what_triton_refuses_is_a_build_that_failed(self) -> None:
        bad = "tl.load(x + i, nonsense=1)"
        told, _ = self.told(A100, loaded=bad)
        self.assertEqual(told["failed"]["class"], "build")
        self.assertIn("nonsense", told["failed"]["error"])
        # Also where its own code goes on without.
        hides = "try: add[(4,)](x, y, 1000, BLOCK=256)\n    except Exception: pass"
        told, _ = self.told(A100, loaded=bad, launch=hides, behind="")
        self.assertEqual(told["failed"]["class"], "build")

    def test_before_the_first_kernel_its_own_code_fails(self) -> None:
        told, _ = self.told(A100, launch="raise ValueError('no')")
        self.assertEqual(told["failed"]["class"], "exception")
        told, _ = self.told(A100, launch="torch.cuda.CUDAGraph()")
        self.assertIn("asks for a device", told["unsupported"]["reason"])

    def test_of_what_is_tuned_the_first_that_fits_is_compiled(self) -> None:
        tuned = (
            "@triton.autotune(configs=[triton.Config({'BLOCK': 64}), "
            "triton.Config({'BLOCK': 128})], key=['n'])"
        )
        told, _ = self.told(A100, setting=tuned, launch="add[(16,)](x, y, 1000)", behind="")
        self.assertEqual(len(told["kernels"]), 1)


if __name__ == "__main__":
    unittest.main()
