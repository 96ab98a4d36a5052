"""A machine with less memory: keeps a file like /proc/meminfo, for what runs below a folder.

Usage: machine.py FILE TOTAL_KIB FOLDER

FILE.least holds the least that was available so far, in KiB.
"""

import os
import sys
import time

ROOM = 18


def line(name: str, kib: int) -> str:
    return f"{name + ':':<16}{kib:>{ROOM}} kB\n"


def used_kib(folder: str) -> int:
    """What the processes take that work below the folder, shared pages by their share."""
    used = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if not os.readlink(f"/proc/{name}/cwd").startswith(folder):
                continue
            with open(f"/proc/{name}/smaps_rollup") as rollup:
                fields = dict(row.split(":") for row in list(rollup)[1:])
            used += int(fields["Pss"].split()[0]) - int(fields["Pss_File"].split()[0])
        except (OSError, KeyError):
            continue
    return used


file, total, folder = sys.argv[1], int(sys.argv[2]), os.path.realpath(sys.argv[3])
least = total
while True:
    available = max(0, total - used_kib(folder))
    if available < least:
        least = available
        with open(f"{file}.new", "w") as kept:
            kept.write(f"{least}\n")
        os.replace(f"{file}.new", f"{file}.least")
    text = line("MemTotal", total) + line("MemAvailable", available)
    # In place and at once: the file is mounted, and read while it is written.
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT, 0o644)
    os.pwrite(descriptor, text.encode(), 0)
    os.close(descriptor)
    time.sleep(0.02)
