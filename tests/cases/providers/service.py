"""A service of models that sends back the key that it was given, and looks for it where nobody should find one."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

KEY = b"marked-key-2718281828"


def is_assay(process: Path) -> bool:
    try:
        return (process / "comm").read_text() == "assay\n"
    except OSError:
        return False  # it has ended


def shows_key(process: Path) -> bool:
    """Whether its words or its environment have the key, for whoever may read them."""
    try:
        return KEY in (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
    except PermissionError:
        return False


class Service(BaseHTTPRequestHandler):
    def do_GET(self):
        given = self.headers["Authorization"]
        with Path("asked").open("a") as asked:
            assays = [process for process in Path("/proc").glob("[0-9]*") if is_assay(process)]
            found = sum(shows_key(process) for process in assays)
            asked.write(f"{self.path}: {given}, shown by {found} of {min(len(assays), 1)}\n")
        error = {"error": {"message": f"no such key: {given}\nask for another"}}
        models = {"data": [{"id": given}, {"id": "other"}]}
        refused = self.path.startswith("/refuses")
        body = json.dumps(error if refused else models).encode()
        self.send_response(401 if refused else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
Path(sys.argv[1]).write_text(str(server.server_port))
server.serve_forever()
