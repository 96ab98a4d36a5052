"""What candidates ask for as extensions, and how they get it."""

import os
import subprocess
import sysconfig
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from torch.utils import cpp_extension

from assay_worker.candidate import laid_out
from assay_worker.extensions import MAX_BYTES, MAX_FILES, Extensions, Needed
from assay_worker.failure import Failed, blame
from assay_worker.kernelbench import load_model
from assay_worker.sheet import Given

# Of Python alone: torch's headers take half a minute.
MODULE = """
#include <Python.h>
#include "number.h"
static PyMethodDef none[] = {{nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "made", nullptr, -1, none};
PyMODINIT_FUNC PyInit_made() {
  PyObject* module = PyModule_Create(&definition);
  PyModule_AddIntConstant(module, "number", NUMBER);
  return module;
}
"""


class InOneProcess(unittest.TestCase):
    """Tests with torch's building replaced, and put back; in a folder of their own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name in ("_jit_compile", "_check_and_build_extension_h_precompiler_headers"):
            patched = mock.patch.object(cpp_extension, name)
            patched.start()
            self.addCleanup(patched.stop)
        environment = mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)

    def extensions(self, *given: tuple[str, int]) -> Extensions:
        # The real signature, which the mock of setUp() has not.
        with mock.patch.object(cpp_extension, "_jit_compile", _JIT_COMPILE):
            extensions = Extensions([digest for digest, _ in given], [fd for _, fd in given])
            extensions.install()
            installed = cpp_extension._jit_compile
        cpp_extension._jit_compile = installed
        os.environ["TORCH_EXTENSIONS_DIR"] = str(self.folder)
        return extensions

    def needed(self, load: Any, **arguments: Any) -> dict[str, Any]:
        """What the judge is asked for by a call of load() or load_inline()."""
        extensions = self.extensions()
        with self.assertRaises(Needed):
            load(**arguments)
        assert extensions.needed is not None
        return extensions.needed

    def module(self) -> str:
        (self.folder / "made.cpp").write_text(MODULE)
        (self.folder / "number.h").write_text("#define NUMBER 7\n")
        return str(self.folder / "made.cpp")


class Asked(InOneProcess):
    def test_inline(self) -> None:
        needed = self.needed(
            cpp_extension.load_inline,
            name="fused",
            cpp_sources="at::Tensor twice(at::Tensor x) { return x + x; }",
            functions=["twice"],
            extra_cflags=["-O3", "-march=native"],
            extra_ldflags=["-lm"],
        )
        self.assertEqual(needed["name"], "fused")
        self.assertEqual(needed["sources"], ["main.cpp"])
        (file,) = needed["files"]
        self.assertTrue(file["text"].startswith("#include <torch/extension.h>\n"))
        self.assertIn('m.def("twice"', file["text"])
        self.assertIn("-DTORCH_EXTENSION_NAME=fused", needed["compile"])
        self.assertLess({"-O3", "-march=native", "-fPIC", "-std=c++20"}, set(needed["compile"]))
        self.assertLess({"-shared", "-lm", "-ltorch"}, set(needed["link"]))

    def test_of_files_with_what_they_include(self) -> None:
        needed = self.needed(cpp_extension.load, name="made", sources=[self.module()])
        self.assertEqual([each["name"] for each in needed["files"]], ["made.cpp", "number.h"])
        self.assertEqual(needed["sources"], ["made.cpp"])

    def test_the_same_is_the_same_and_another_is_another(self) -> None:
        def digest(**more: Any) -> Any:
            arguments = {"name": "made", "sources": [self.module()], **more}
            return self.needed(cpp_extension.load, **arguments)["digest"]

        self.assertEqual(digest(), digest())
        self.assertNotEqual(digest(), digest(name="other"))
        self.assertNotEqual(digest(), digest(extra_cflags=["-O3"]))

    def test_for_a_device(self) -> None:
        needed = self.needed(
            cpp_extension.load_inline, name="fused", cpp_sources="", cuda_sources="__global__"
        )
        del needed["digest"]
        self.assertEqual(needed, {"name": "fused", "device": "cuda"})

    def test_precompiled_headers_are_the_judges_business(self) -> None:
        arguments = {"name": "a", "cpp_sources": "", "functions": []}
        with_them = self.needed(cpp_extension.load_inline, use_pch=True, **arguments)
        self.assertEqual(with_them, self.needed(cpp_extension.load_inline, **arguments))

    def test_too_much(self) -> None:
        self.extensions()
        module = self.module()
        for number in range(MAX_FILES):
            (self.folder / f"{number}.h").touch()
        with self.assertRaisesRegex(RuntimeError, "more than 64 files"):
            cpp_extension.load(name="made", sources=[module])

    def test_too_much_is_counted_in_bytes(self) -> None:
        self.extensions()
        module = self.module()
        (self.folder / "number.h").write_text("//" + "é" * (MAX_BYTES // 2), encoding="utf-8")
        with self.assertRaisesRegex(RuntimeError, f"more than 64 files or {MAX_BYTES} bytes"):
            cpp_extension.load(name="made", sources=[module])

    def with_include_paths(self, *paths: str) -> dict[str, Any]:
        """What is asked for, without its digest."""
        needed = self.needed(
            cpp_extension.load,
            name="made",
            sources=[self.module()],
            extra_include_paths=[*paths],
        )
        del needed["digest"]
        return needed

    def test_what_the_compiler_has_anyway_is_not_handed_over(self) -> None:
        plain = self.with_include_paths()
        for paths in (
            cpp_extension.include_paths(),
            [sysconfig.get_paths()["include"]],
            ["/usr/include", "/usr/include/../include/"],
            [str(self.folder / "missing"), "/missing"],
        ):
            self.assertEqual(self.with_include_paths(*paths), plain)

    def test_other_folders_are_the_compilers_to_look_through(self) -> None:
        other = os.path.realpath(os.path.dirname(torch.__file__))
        needed, plain = self.with_include_paths(other), self.with_include_paths()
        self.assertEqual(needed["files"], plain["files"])
        self.assertEqual(needed["compile"], ["-I.", f"-I{other}", *plain["compile"][1:]])

    def test_folders_of_its_own_are_handed_over_with_what_is_in_them(self) -> None:
        include = self.folder / "include"
        (include / "deep/er").mkdir(parents=True)
        (include / "deep/er/x.h").write_text("x")
        (include / "deep/of two words.h").touch()
        (include / "number.h").write_text("not that beside the source")
        (include / "notes.txt").touch()
        files = self.with_include_paths(str(include))["files"]
        self.assertEqual(
            {each["name"]: each["text"] for each in files if each["name"] != "made.cpp"},
            {
                "number.h": "#define NUMBER 7\n",
                "deep/er/x.h": "x",
                # The source's folder has it, too.
                "include/deep/er/x.h": "x",
                "include/number.h": "not that beside the source",
            },
        )

    def test_a_source_that_is_not_there(self) -> None:
        self.extensions()
        with self.assertRaisesRegex(RuntimeError, r"missing\.cpp.* is not there: .*load_inline"):
            cpp_extension.load(name="made", sources=[str(self.folder / "missing.cpp")])

    def test_two_of_one_name(self) -> None:
        self.extensions()
        (self.folder / "other").mkdir()
        (self.folder / "other/made.cpp").touch()
        with self.assertRaisesRegex(RuntimeError, r"two sources .* made\.cpp"):
            cpp_extension.load(
                name="made", sources=[self.module(), str(self.folder / "other/made.cpp")]
            )


class FilesBeside(InOneProcess):
    """What the judge hands in with a candidate lies where the candidate looks for it."""

    def laid_out(self, code: str, **files: str) -> type[torch.nn.Module]:
        """Runs a candidate's code, with files whose names have `_` for `/`, and `.h` to come."""
        path = "/home/you/mine/relu.py"
        sheet = {
            "path": path,
            "beside": [
                {"name": f"{name.replace('_', '/')}.h", "text": text}
                for name, text in files.items()
            ],
        }
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        code += "\nclass ModelNew(torch.nn.Module): pass"
        with mock.patch.object(tempfile, "tempdir", str(self.folder)):
            candidate = ("import torch; from pathlib import Path\n" + code).encode()
            file = laid_out(Given(sheet, -1, {}, candidate, []))
            return load_model(candidate, path, "ModelNew", file)

    def test_it_finds_them_by_its_own_file_and_in_the_working_folder(self) -> None:
        self.laid_out(
            "here = Path(__file__).parent\n"
            "assert (here / 'a.h').read_text() == 'one'\n"
            "assert (here / 'deep/b.h').read_text() == 'two'\n"
            "assert Path('a.h').read_text() == 'one'\n"
            "assert 'here / ' in Path(__file__).read_text()",
            a="one",
            deep_b="two",
        )

    def test_what_goes_wrong_is_told_of_the_file_that_it_is(self) -> None:
        with self.assertRaises(Failed) as caught, blame("load", "/home/you/mine/relu.py"):
            self.laid_out("raise ValueError('x')", a="")
        self.assertRegex(caught.exception.error, r"^ValueError: x \(relu\.py:2(:1)?\)$")

    def test_without_any_all_is_as_it_was(self) -> None:
        before = os.getcwd()
        self.laid_out("assert __file__ == '/home/you/mine/relu.py'")
        self.assertEqual(os.getcwd(), before)


class GivenLibraries(InOneProcess):
    def build(self, needed: dict[str, Any]) -> int:
        """As the judge does, in a folder that holds the files alone."""
        with tempfile.TemporaryDirectory() as folder:
            for file in needed["files"]:
                Path(folder, file["name"]).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, file["name"]).write_text(file["text"])
            subprocess.run(
                ["c++", *needed["compile"], "-o", "made.so", *needed["sources"], *needed["link"]],
                cwd=folder,
                check=True,
            )
            descriptor = os.memfd_create("made")
            os.write(descriptor, Path(folder, "made.so").read_bytes())
        self.addCleanup(os.close, descriptor)
        return descriptor

    def test_is_loaded_whatever_else_has_the_name(self) -> None:
        self.assertTrue(Path(sysconfig.get_paths()["include"], "Python.h").exists())
        made = []
        for number in (7, 8):
            source = self.module()
            (self.folder / "number.h").write_text(f"#define NUMBER {number}\n")
            arguments = {"name": "made", "sources": [source]}
            needed = self.needed(cpp_extension.load, **arguments)
            self.extensions((needed["digest"], self.build(needed)))
            made.append(cpp_extension.load(**arguments))
        self.assertEqual([module.number for module in made], [7, 8])

    def test_is_loaded_for_its_operators(self) -> None:
        arguments = {"name": "made", "sources": [self.module()], "is_python_module": False}
        needed = self.needed(cpp_extension.load, **arguments)
        self.extensions((needed["digest"], self.build(needed)))
        cpp_extension.load(**arguments)
        self.assertTrue(any("/proc/self/fd/" in path for path in torch.ops.loaded_libraries))


_JIT_COMPILE = cpp_extension._jit_compile

if __name__ == "__main__":
    unittest.main()
