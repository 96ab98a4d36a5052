"""Answers with what is right, and takes the number from a header of a folder that the compiler is shown."""

import os
import sys

sys.stdin.read()
with open("asked", "a") as asked:
    print(os.environ["ASSAY_NODE"], file=asked)

KERNEL = open("wrong.c").read().replace("x[i] * 3", "x[i] * FACTOR + 1")
print("```c\n#include <factor.h>\n" + KERNEL + "```")
