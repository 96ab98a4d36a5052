"""`stand_in.py ROLE FOLDER`: a zygote whose fork server is Python: no limits, one fork at a time.

Each byte on descriptor 3 brings a job socket and asks for a worker, which enters the
folder; its exit status goes back as one byte. What else the C extension has is the real one's.
"""

import importlib.machinery
import importlib.util
import os
import socket
import sys
from pathlib import Path
from types import ModuleType

PYTHON = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PYTHON))
NAME = "assay_worker._zygote"
FOLDER = sys.argv[2] if len(sys.argv) > 2 else "."


def extension() -> ModuleType:
    """The newest that was built. Raises FileNotFoundError where none is."""
    built = list(PYTHON.parent.glob("build/*/share/assay/python/assay_worker/_zygote.abi3.so"))
    if not built:
        raise FileNotFoundError("no C extension in build/: run cmake --build --preset dev")
    newest = str(max(built, key=lambda path: path.stat().st_mtime))
    loader = importlib.machinery.ExtensionFileLoader(NAME, newest)
    spec = importlib.util.spec_from_file_location(NAME, newest, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def serve(descriptor: int, image: str) -> int:
    control = socket.socket(fileno=descriptor)
    while True:
        request, sockets, _, _ = socket.recv_fds(control, 1, 1)
        if not request:
            raise SystemExit
        pid = os.fork()
        if pid == 0:
            control.close()
            os.dup2(sockets[0], 3)
            os.close(sockets[0])
            os.chdir(FOLDER)
            return 3
        os.close(sockets[0])
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        control.send(bytes([status & 0xFF]))


if __name__ == "__main__":
    module = extension()
    module.serve = serve  # type: ignore[attr-defined]
    sys.modules[NAME] = module

    from assay_worker.main import main

    sys.argv = [sys.argv[0], sys.argv[1]]
    raise SystemExit(main())
