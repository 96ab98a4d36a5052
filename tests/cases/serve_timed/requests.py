"""Writes requests: of a candidate that is named, so many (20), or of all, some not to be timed."""

import json
import sys

WHO = ["fused", "repeats", "lazy", "wrong"]


def request(who: str, name: str, **more: object) -> str:
    code = open("fused.c" if who == "wrong" else f"{who}.c").read()
    if who == "wrong":
        code = code.replace("* 3", "* 4")
    return json.dumps({"id": name, "problem": "chain.py", "code": code, "language": "c", **more})


if sys.argv[1:]:
    for n in range(int(sys.argv[2]) if sys.argv[2:] else 20):
        print(request(sys.argv[1], f"{sys.argv[1]} {n}"), flush=True)
else:
    for who in WHO:
        print(request(who, who))
        print(request(who, f"{who}, untimed", time=False))
