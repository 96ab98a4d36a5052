"""service.py PORT_FILE: a service of models that does what the file `mode` says, and writes a line into `asked`
for each question."""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

RIGHT = """```c
#include <assay/kernel.h>
int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  int64_t count = 1;
  for (int i = 0; i < call->inputs[0].rank; ++i) count *= call->inputs[0].shape[i];
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] * 3 + 1;
  return 0;
}
```"""
BROKEN = "```c\n#error it does not build\n" + "/* long */\n" * 2000 + "```"


class Service(BaseHTTPRequestHandler):
    def do_POST(self):
        mode = Path("mode").read_text().strip()
        prompt = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"][-1]["content"]
        with open("asked", "a") as asked:
            print("repair" if "# Your answer so far" in prompt else "draft", file=asked)
        while mode == "slow" and not Path("go").exists():
            time.sleep(0.05)
        if mode == "drop":
            self.close_connection = True
            return None
        if mode == "out":
            return self.answer(500, {"error": {"message": "it is down"}})
        if mode == "wrong key":
            return self.answer(401, {"error": {"message": "no such key"}})
        is_long = mode == "small" and len(prompt) > 15000
        if is_long:
            return self.answer(400, {"error": {"message": "it is more than the context window of 4096 tokens"}})
        code = BROKEN if mode == "small" and "left out here" not in prompt else RIGHT
        choice = {"message": {"role": "assistant", "content": code}, "finish_reason": "stop"}
        self.answer(200, {"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}})

    def answer(self, status: int, content) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
Path(sys.argv[1]).write_text(str(server.server_port))
server.serve_forever()
