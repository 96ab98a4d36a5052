"""Writes requests: of one candidate, under a seed, or of all that there is to try."""

import json
import sys

LIMITS = {"hangs.py": {"timeout_s": 3}, "dies.py": {"memory_bytes": 4 << 30}}


def request(name: str, number: int, **more: object) -> str:
    code = open(name).read()
    fields = {"id": f"{name} {number}", "problem": "gelu.py", "code": code}
    return json.dumps({**fields, **LIMITS.get(name, {}), **more})


match sys.argv[1:]:
    case [name, seed]:
        print(request(name, 0, seed=seed))
    case [name]:
        print(request("wrong.py", 0))
        for n in range(10):
            print(request(name, n, timeout_s=100))
    case _:
        for n in range(3):
            for each in ("honest.py", "forks.py", "wrong.py", "dies.py", "hangs.py", "fills.py"):
                print(request(each, n))
            print(json.dumps({"id": f"own {n}", "problem_code": open("gelu.py").read(),
                              "text": "```python\n" + open("honest.py").read() + "```\n"}))
        print(json.dumps({"id": "in bf16", "problem": "gelu.py", "precision": "bf16",
                          "code": open("honest.py").read()}))
        for precision in (None, "f16"):
            print(json.dumps({"id": f"op in {precision}", "problem": "op:softmax[rows=8,columns=64]",
                              "precision": precision, "code": open("softmax.py").read()}))
        print("no request")
        print(json.dumps({"id": "lost", "problem": "lost.py", "code": "pass"}))
