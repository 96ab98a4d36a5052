"""Writes requests with limits of their own."""

import json


def request(name: str, file: str, **more: object) -> None:
    code = open(file).read()
    print(json.dumps({"id": name, "problem": "gelu.py", "code": code, **more}))


request("takes a GiB", "takes.py")
request("takes a GiB of 512 MiB", "takes.py", memory_bytes=512 << 20)
request("takes a GiB of 64 MiB", "takes.py", memory_bytes=64 << 20)
request("is honest in 64 MiB", "honest.py", memory_bytes=64 << 20)
request("builds for ever", "never.cc", language="cpp", timeout_s=2)
