"""What code for Vulkan declares, and what a device is said to lack of that."""

import struct
import subprocess
import sys
import unittest
from pathlib import Path

from serving import LAVAPIPE

from assay_worker.failure import Unsupported
from assay_worker.vulkan_device import Device, capabilities, check

ASKS = "from assay_worker.vulkan_device import device; print(device())"
SHADER, MATRIX, INT64, SHUFFLE, COOPERATIVE_MATRIX = 1, 0, 11, 65, 6022
DEVICE = Device("a device", 8, frozenset({"shaderFloat64"}))


def module(*declared: int) -> bytes:
    """The beginning of a module in SPIR-V that declares these, and then an extension."""
    words = [0x07230203, 0x00010300, 0, 100, 0]
    for each in declared:
        words += [(2 << 16) + 17, each]
    return struct.pack(f"<{len(words)}I", *words) + struct.pack("<I", (3 << 16) + 10) + b"SPV_X"


class Declared(unittest.TestCase):
    def test_all_modules_are_read(self) -> None:
        artifact = b"PK.." + module(SHADER, MATRIX) + b"odd" + module(SHADER, INT64)
        self.assertEqual(capabilities(artifact), {SHADER, MATRIX, INT64})

    def test_what_is_no_module(self) -> None:
        whole = module(SHADER, INT64)
        self.assertEqual(capabilities(b""), set())
        self.assertEqual(capabilities(whole[:4]), set())
        self.assertEqual(capabilities(whole[: 4 * 7 - 1]), set())
        self.assertEqual(capabilities(whole[:4] + b"\0" * 40), set())


class Lacking(unittest.TestCase):
    def test_a_device_that_has_all(self) -> None:
        check(module(SHADER, MATRIX), DEVICE)
        check(module(SHADER, 10), DEVICE)
        check(b"no code at all", DEVICE)

    def test_what_is_missing_is_named(self) -> None:
        with self.assertRaises(Unsupported) as lacking:
            check(module(SHADER, COOPERATIVE_MATRIX, 9999), DEVICE)
        self.assertEqual(
            str(lacking.exception),
            "the code asks for CooperativeMatrixKHR, capability 9999, which a device has not",
        )

    def test_subgroups_are_of_another_size(self) -> None:
        """Whatever features there are: compilers count on the size that a target's have."""
        with self.assertRaises(Unsupported) as lacking:
            check(module(SHADER, INT64, SHUFFLE), DEVICE)
        self.assertEqual(
            str(lacking.exception),
            "the code asks for Int64, which a device has not; for subgroups as large as the "
            "target's, and those of a device have 8 threads",
        )


class Here(unittest.TestCase):
    """In a process of its own: a driver brings libraries that others may have, too."""

    def ask(self, driver: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-c", ASKS],
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
            cwd=Path(__file__).parent.parent,
            env={"VK_DRIVER_FILES": driver},
        )

    def test_lavapipe(self) -> None:
        """Numbers that it has, and has had in each version that distributions bring."""
        said = self.ask(str(LAVAPIPE)).stdout
        self.assertIn("llvmpipe", said)
        for feature in ("shaderInt64", "shaderFloat64", "shaderInt8", "storageBuffer16BitAccess"):
            self.assertIn(feature, said)
        self.assertRegex(said, "subgroup_threads=(4|8|16),")

    def test_no_driver(self) -> None:
        self.assertIn("VK_ERROR_", self.ask("/nowhere.json").stderr)


if __name__ == "__main__":
    unittest.main()
