"""A service of models that sends its callers' keys back wherever it can, and looks whether any process shows one."""

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

# In pieces: this file is searched for them as well. No other case has these: processes of the whole
# machine are looked at.
KEYS = ["marked" + "-key-1618033988", "marked" + "-header-1414213562"]
LOOK = Path("look.py").read_text()
MODEL = """

class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        assert not found(), found()

    def forward(self, x):
        assert not found(), found()
        return x * 3%s
"""
asked = 0
shown: set[str] = set()


def has_key(path: Path) -> bool:
    try:
        data = path.read_bytes()
    except OSError:
        return False  # it has ended, or is not ours to read
    return any(key.encode() in data for key in KEYS)


def watch() -> None:
    """All processes of this machine, many times a second. An assay that has not asked yet has the keys still."""
    while True:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                name = (process / "comm").read_text().strip()
            except OSError:
                continue
            if has_key(process / "cmdline"):
                shown.add(f"words of {name}")
            if (asked or name != "assay") and has_key(process / "environ"):
                shown.add(f"environment of {name}")
        time.sleep(0.03)


class Service(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200, {"data": [{"id": self.keys()}]})

    def do_POST(self):
        global asked
        self.rfile.read(int(self.headers["Content-Length"]))
        asked += 1
        if asked == 1:
            return self.answer(500, {"error": {"message": f"{self.keys()} is tired"}})
        if asked == 3:
            return self.answer(400, {"error": {"message": f"no more for {self.keys()}", "param": self.keys()}})
        code = f"# asked with {self.keys()}\n" + LOOK + MODEL % ("" if asked == 2 else " + 1")
        text = f"You have the key {self.keys()}.\n```python\n{code}```\n"
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        self.answer(200, {"model": self.keys(), "choices": [choice], "usage": usage})

    def keys(self) -> str:
        return f"{self.headers['Authorization']} and {self.headers['X-Team']}"

    def answer(self, status: int, content) -> None:
        # First: who has the answer reads it.
        Path("shown").write_text("".join(f"{each}\n" for each in sorted(shown)) + f"{asked} questions\n")
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("X-Echo", self.keys())
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
threading.Thread(target=watch, daemon=True).start()
Path(sys.argv[1]).write_text(str(server.server_port))
server.serve_forever()
