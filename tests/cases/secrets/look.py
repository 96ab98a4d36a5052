"""What a process can learn of others, and of its user: a list of words, empty in a jail."""

import os


def found() -> list[str]:
    words = [name for name in os.environ if "SECRET" in name]
    for name in filter(str.isdigit, os.listdir("/proc")):
        if int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/cmdline", "rb") as line:
                arguments = line.read().split(b"\0")
        except OSError:
            continue
        if b"oracle" not in arguments and b"stands-for-an-oracle" not in arguments:
            continue
        for part in ("environ", "mem", "maps"):
            try:
                with open(f"/proc/{name}/{part}", "rb"):
                    words.append(part)
            except OSError:
                pass
        try:
            words += ["descriptors"] if os.listdir(f"/proc/{name}/fd") else []
        except OSError:
            pass
    return sorted(set(words))
