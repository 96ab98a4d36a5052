import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import unittest
from pathlib import Path

from serving import PYTHON, frames, process

from assay_worker.describe import describe


class Describe(unittest.TestCase):
    def test_says_hello_and_answers_once(self) -> None:
        with process(str(PYTHON), "describe") as connection:
            hello, answer = frames(connection)
        self.assertEqual(hello, {"protocol": 1, "image": "describe"})
        self.assertTrue(answer["final"])
        ok = answer["ok"]
        self.assertEqual(ok["executable"], os.path.abspath(sys.executable))
        self.assertEqual(
            set(ok["packages"]),
            {
                "torch",
                "iree-turbine",
                "iree-base-compiler",
                "iree-base-runtime",
                "numpy",
                "triton",
                "jax",
                "torchax",
                "torch-mlir",
                "onnxruntime",
                "onnxscript",
            },
        )
        self.assertTrue(Path(ok["compiler_library"]).is_file())
        self.assertTrue(Path(ok["iree_compile"]).is_file())

    def test_it_reads_its_installation_and_nothing_beside(self) -> None:
        program = (
            f"import sys; sys.path.insert(0, {str(PYTHON)!r})\n"
            "from assay_worker.describe import describe\n"
            "import json; print(json.dumps(describe()['reads']))"
        )
        with tempfile.TemporaryDirectory() as home:
            link, packages = Path(home, "bin", "python3"), Path(home, "packages")
            link.parent.mkdir()
            packages.mkdir()
            link.symlink_to(sys.executable)
            reads = json.loads(
                subprocess.check_output(
                    [
                        str(link),
                        "-s",
                        "-c",
                        program.replace(
                            "import json", f"import json; sys.path.append({str(packages)!r})", 1
                        ),
                    ],
                    text=True,
                )
            )
        self.assertIn(str(link), reads)
        self.assertIn(os.path.dirname(json.__file__).removesuffix("/json"), reads)
        self.assertNotIn(home, reads)
        self.assertNotIn(sys.prefix, reads)
        for path in reads:
            self.assertTrue(os.path.isabs(path) and (path.startswith(home) or os.path.exists(path)))

    def test_headers_are_the_folders_that_torch_names_to_the_compiler(self) -> None:
        from torch.utils import cpp_extension

        named = [*cpp_extension.include_paths(), sysconfig.get_path("include")]
        headers = describe()["headers"]
        self.assertEqual({path for path in named if Path(path).is_dir()}, set(headers))

    def test_imports_nothing_heavy(self) -> None:
        program = (
            f"import sys; sys.path.insert(0, {str(PYTHON)!r})\n"
            "from assay_worker import describe, main\n"
            "describe.describe()\n"
            "print([m for m in ('torch', 'numpy', 'iree.compiler') if m in sys.modules])"
        )
        printed = subprocess.check_output([sys.executable, "-I", "-c", program], text=True)
        self.assertEqual(printed.strip(), "[]")

    def test_missing_packages_are_null(self) -> None:
        program = (
            f"import sys; sys.path.insert(0, {str(PYTHON)!r})\n"
            "from assay_worker.describe import describe\n"
            "import json; print(json.dumps(describe()))"
        )
        # -S: without site-packages there is neither torch nor a compiler.
        printed = subprocess.check_output([sys.executable, "-I", "-S", "-c", program], text=True)
        self.assertIn('"torch": null', printed)
        self.assertIn('"compiler_library": null', printed)

    def test_unknown_role_is_refused(self) -> None:
        ran = subprocess.run(
            [sys.executable, "-I", str(PYTHON), "bogus"], capture_output=True, text=True
        )
        self.assertEqual(ran.returncode, 2)
        self.assertIn("bogus", ran.stderr)


if __name__ == "__main__":
    unittest.main()
