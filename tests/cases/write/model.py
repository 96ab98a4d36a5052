"""Answers as a model that learns: the first sample does not build, the second is wrong, and what is told is mended."""

import os
import sys

prompt = sys.stdin.read()
with open("asked", "a") as asked:
    print(os.environ["ASSAY_NODE"], file=asked)

KERNEL = """#include <assay/kernel.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  int64_t count = 1;
  for (int i = 0; i < call->inputs[0].rank; ++i) count *= call->inputs[0].shape[i];
  for (int64_t i = 0; i < count; ++i) y[i] = %s;
  return 0;
}
"""
if "What was found" in prompt:
    value = "x[i] * 3 + 1"
elif "sample 1" in os.environ["ASSAY_NODE"]:
    value = "undeclared[i]"
else:
    value = "x[i] * 3"
print("It multiplies and adds.\n\n```c\n" + KERNEL % value + "```")
