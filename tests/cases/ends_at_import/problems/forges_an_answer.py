"""Answers for the worker, over the socket that it inherited, and leaves."""

import json
import os
import struct

answer = json.dumps({"final": True, "ok": {}}).encode()
os.write(3, struct.pack("<I", len(answer)) + answer)
os._exit(0)
