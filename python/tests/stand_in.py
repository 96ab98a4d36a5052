"""The export zygote with a Python stand-in for its C extension: no limits, one fork at a time.

Each byte on descriptor 3 brings a job socket and asks for a worker, which enters the folder given
as argument; its exit status goes back as one byte.
"""

import os
import socket
import sys
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


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
            os.chdir(sys.argv[1])
            return 3
        os.close(sockets[0])
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        control.send(bytes([status & 0xFF]))


if __name__ == "__main__":
    extension = ModuleType("assay_worker._zygote")
    extension.serve = serve  # type: ignore[attr-defined]
    sys.modules[extension.__name__] = extension

    from assay_worker import zygote

    zygote.run()
