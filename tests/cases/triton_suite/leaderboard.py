"""A service that lists scores: keeps what is posted to /submit, and refuses what is posted elsewhere."""

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path


class Leaderboard(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        taken = self.path == "/submit"
        if taken:
            Path("posted").write_bytes(body)
        answer = b'{"data": ["rank 1"]}' if taken else b"there is no such competition\n"
        self.send_response(200 if taken else 404)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        with Path("requests").open("a") as requests:
            requests.write(f"{self.command} {self.path}\n")


server = HTTPServer(("127.0.0.1", 0), Leaderboard)
Path(sys.argv[1]).write_text(str(server.server_port))
server.serve_forever()
