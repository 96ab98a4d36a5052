"""Right from the second repair on; takes a while over each answer."""

import os
import sys
import time

prompt = sys.stdin.read()
node = os.environ["ASSAY_NODE"]
with open("asked", "a") as asked:
    print(node, file=asked)
time.sleep(0.2)
value = "x[i] * 3 + 1" if "repair" in node or "optimise" in node else "x[i] * 3"
print(f"""```c
#include <assay/kernel.h>
/* {node} */
int assay_kernel(const assay_call* call) {{
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  int64_t count = 1;
  for (int i = 0; i < call->inputs[0].rank; ++i) count *= call->inputs[0].shape[i];
  for (int64_t i = 0; i < count; ++i) y[i] = {value};
  return 0;
}}
```""")
