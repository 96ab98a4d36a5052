"""What compilers say of kernels for GPUs that are not here."""

import unittest

try:
    from assay_worker import triton_device
except ImportError:  # without Triton
    triton_device = None  # type: ignore[assignment]

PTXAS = """\
ptxas info    : 11 bytes gmem
ptxas info    : Compiling entry function 'f' for 'sm_80'
ptxas info    : Function properties for f
    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 384 bytes cmem[0]
"""
AMDGCN = """\
amdhsa.kernels:
  - .agpr_count:     0
    .name:           f
    .sgpr_count:     22
    .sgpr_spill_count: 0
    .vgpr_count:     12
    .vgpr_spill_count: 3
"""


@unittest.skipIf(triton_device is None, "Triton is not installed")
class Takes(unittest.TestCase):
    def test_is_read_of_what_ptxas_prints(self) -> None:
        self.assertEqual(
            triton_device.takes_of_ptxas(PTXAS), {"registers": 255, "spilled_bytes": 12}
        )

    def test_is_read_of_assembly_for_amd(self) -> None:
        self.assertEqual(
            triton_device.takes_of_amdgcn(AMDGCN),
            {"registers": 12, "scalar_registers": 22, "spilled_bytes": 12},
        )

    def test_is_nothing_where_nobody_says_it(self) -> None:
        self.assertEqual(triton_device.takes_of_ptxas(""), {})
