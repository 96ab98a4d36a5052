"""The processes that a process has started, and those that they have."""

import os
from contextlib import suppress
from pathlib import Path


def processes_below(ancestor: int) -> dict[int, str]:
    """Process id -> command line, of those that live."""
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):  # it has ended meanwhile
            stat = Path("/proc", name, "stat").read_text()
            state, parent = stat.rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[int(name)] = int(parent)
                command = Path("/proc", name, "cmdline").read_bytes().replace(b"\0", b" ")
                commands[int(name)] = command.decode(errors="replace").strip()
    return {pid: command for pid, command in commands.items() if is_below(pid, ancestor, parents)}


def is_below(pid: int, ancestor: int, parents: dict[int, int]) -> bool:
    while pid := parents.get(pid, 0):
        if pid == ancestor:
            return True
    return False
