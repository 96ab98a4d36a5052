"""Takes a core, as a program that has nothing to do with it would. Ends with its parent.

load.py NICE SECONDS   from nothing to all of a core within SECONDS; 0: all of it at once
"""

import os
import sys
import time

PERIOD_S = 0.02


def main() -> None:
    os.nice(int(sys.argv[1]))
    grows_s = float(sys.argv[2])
    parent = os.getppid()
    begin = time.monotonic()
    while os.getppid() == parent:
        now = time.monotonic()
        part = min(1.0, (now - begin) / grows_s) if grows_s else 1.0
        while time.monotonic() < now + part * PERIOD_S:
            pass
        time.sleep((1 - part) * PERIOD_S)


main()
