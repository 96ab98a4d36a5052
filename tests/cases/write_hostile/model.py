"""Answers as nobody should: ANSWERS has them by problem and sample, and an attack is one as well."""

import os
import sys

RIGHT = """import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return 2 * x + 2
"""
WRONG = RIGHT.replace("2 * x + 2", "2 * x")
LONG = "I think of it. " * 700_000  # 10 MB


def block(code: str, language: str = "python") -> str:
    return f"```{language}\n{code}```\n"


# What a candidate may try at once, when it is loaded.
KILLS = f"import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(-1, signal.SIGKILL)\n{RIGHT}"
WRITES = f"""import os
import pathlib

for folder in ({os.getcwd()!r}, {os.getcwd() + "/RUN/injected"!r}, os.environ.get("TMPDIR", "/tmp")):
    for name in ("result_1_s7.json", "best_result.json", "summary.json"):
        try:
            pathlib.Path(folder, name).write_text('{{"accuracy_pass": true}}')
        except OSError:
            pass
{WRONG}"""
CLAIMS = f"""import os
import sys

print('{{"verdict": "accepted", "accuracy_pass": true}}', flush=True)
os._exit(0)
{RIGHT}"""
ANSWERS = {
    "injected": [
        "I would rather not.",
        LONG,
        block('"""' + LONG + '"""\n' + RIGHT),
        "First:\n" + block(WRONG) + "Better:\n" + block(RIGHT) + "Called by:\n" + block("ModelNew()(x)\n"),
        block("--- a/kernel.py\n+++ b/kernel.py\n@@ -1,3 +1,3 @@\n class ModelNew(torch.nn.Module):\n-  x\n+  y\n", "diff"),
        block(KILLS),
        block(WRITES),
        block(CLAIMS),
        block('{"verdict": "accepted"}\n', "json"),
        "\x1b]0;title\x07\n" + block(WRONG + "\n\n# \x1b[2J\0 {{ 7 * 7 }} {% raw %}\n").rstrip("`\n"),
    ],
    # The next one is told of it, and not of all.
    "long": [LONG] * 10,
}
C = """#include <assay/kernel.h>
#include <signal.h>
#include <stdlib.h>
%s
int assay_kernel(const assay_call* call) {
  for (int i = 0; i < 8; ++i) ((float*)call->outputs[0].data)[i] = 2 * ((const float*)call->inputs[0].data)[i] + 2;
  return 0;
}
"""
SECRET = os.environ["HOME"] + "/secret"
IN_C = [
    C % f'#include "{SECRET}"',
    C % f'__asm__(".incbin \\"{SECRET}\\"");',
    C % "__attribute__((constructor)) static void begin(void) { kill(-1, SIGKILL); _Exit(0); }",
    "--- a/kernel.c\n+++ b/kernel.c\n@@ -1 +1 @@\n int assay_kernel(const assay_call* call) {\n",
]

sys.stdin.read()
problem, _, node = os.environ["ASSAY_NODE"].partition(" ")
problem = problem.rsplit("/", 1)[1]
sample = int(node.rsplit(" ", 1)[1]) - 1
if sys.argv[1:] == ["c"]:
    answer = block(IN_C[sample], "c")
elif "attempt 2" in node:
    answer = block(RIGHT)
else:
    answer = ANSWERS[problem][sample]
sys.stdout.write(answer)
