"""service.py PORT_FILE: speaks as Anthropic does. It writes down how each question was let in, and answers with kernels that
are wrong, until the file `mode` says `right`. While that says `slow`, whoever was told what is wrong waits for the file `go`."""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

KERNEL = """#include <assay/kernel.h>
int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  int64_t count = 1;
  for (int i = 0; i < call->inputs[0].rank; ++i) count *= call->inputs[0].shape[i];
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] * 3 + %d;
  return 0;
}
"""
KEYS = ["x-api-key", "Ocp-Apim-Subscription-Key"]


class Service(BaseHTTPRequestHandler):
    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = next(each for each in KEYS if each in self.headers)
        with open("asked", "a") as asked:
            print(
                self.path,
                self.headers["anthropic-version"],
                key,
                question["max_tokens"],
                file=asked,
            )
        number = sum(1 for _ in open("asked"))
        mode = Path("mode").read_text().strip()
        is_told = "What was found" in question["messages"][0]["content"]
        while mode == "slow" and is_told and not Path("go").exists():
            time.sleep(0.05)
        if mode == "late":
            time.sleep(1)
        code = KERNEL % (number + 1 if mode in ("wrong", "late") else 1)
        text = f"Whoever has {self.headers[key]} may ask.\n```c\n{code}```\n"
        # What assay wrote down in a cache, and what it read there, is no part of input_tokens.
        usage = {"input_tokens": 100, "output_tokens": 400, "cache_read_input_tokens": 50}
        usage["cache_creation_input_tokens"] = 10
        self.answer(
            {
                "type": "message",
                "model": f"dated {self.headers[key]}",
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn",
                "usage": usage,
            }
        )

    def answer(self, content) -> None:
        body = json.dumps(content).encode()
        try:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # who asked was killed

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
Path(sys.argv[1]).write_text(str(server.server_port))
server.serve_forever()
