"""Judges as a usual evaluation does: candidate and reference in one process, whose word is taken.

It follows geak-eval 0.1.5: the candidate without its tests and the suite's tests are one file, which
has to end with status 0; then both files are imported, and what they leave is compared there.
"""

import ast
import os
import sys
import types

os.environ["TRITON_INTERPRET"] = "1"

import torch
import triton  # noqa: F401

LINE = "#" * 146


def without_tests(code: str) -> str:
    tree = ast.parse(code)
    tree.body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.FunctionDef) and node.name.startswith("test_"))
    ]
    return ast.unparse(tree)


def import_file(name: str, text: str) -> dict:
    torch.manual_seed(42)
    path = os.path.join(os.environ["TMPDIR"], f"{name}.py")
    with open(path, "w") as file:
        file.write(text.replace('"cuda"', '"cpu"'))
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    exec(compile(open(path).read(), path, "exec"), module.__dict__)
    return module.result_gold


def compare(a: object, b: object) -> bool:
    if isinstance(b, dict):
        return compare(list(a.values()), list(b.values()))
    if isinstance(b, list):
        return all([compare(x, y) for x, y in zip(a, b)])
    if isinstance(b, torch.Tensor):
        return torch.allclose(a, b, atol=1e-3, rtol=1e-3)
    return a == b


def in_child(work) -> tuple[int, str]:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(write, 1)
        status = 0
        try:
            work()
        except SystemExit as end:
            status = end.code or 0
        except BaseException:
            status = 1
        sys.stdout.flush()
        os._exit(status)
    os.close(write)
    with os.fdopen(read) as file:
        said = file.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def main() -> None:
    for name in sorted(os.listdir("mine")):
        kernel = name.removesuffix(".py").partition("__")[0]
        suite = open(f"suite/{kernel}.py").read()
        code = without_tests(open(f"mine/{name}").read()) + "\n" + suite.split(LINE)[1]

        def call(code=code) -> None:
            import_file("candidate", code)

        def both(code=code, suite=suite) -> None:
            found = import_file("candidate", code)
            print(f"True*#*#{compare(import_file('reference', suite), found)}*#*#None*#*#None")

        status, _ = in_child(call)
        _, said = in_child(both)
        parts = said.split("*#*#")
        print(f"{name}: call {status == 0}, exec {len(parts) > 1 and parts[1] == 'True'}")


main()
