import os

import torch


def found():
    """What a candidate can see of the keys: places, and never a key itself."""
    marks = ("marked" + "-key", "marked" + "-header")
    places = [name for name, value in os.environ.items() if any(mark in value for mark in marks)]
    for process in filter(str.isdigit, os.listdir("/proc")):
        for part in ("environ", "cmdline"):
            try:
                with open(f"/proc/{process}/{part}", "rb") as file:
                    data = file.read()
            except OSError:
                continue
            if any(mark.encode() in data for mark in marks):
                places.append(f"{part} of {process}")
    return places
