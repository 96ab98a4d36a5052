import os
import subprocess
import time

import torch

subprocess.Popen(["sleep", "1000"])
subprocess.Popen(["sleep", "1000"], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() != 0:
        os._exit(0)
    os.chdir("/")
    os.closerange(0, 100)
    os.execve("/bin/sleep", ["harmless", "1000"], {})
time.sleep(0.2)


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    return [torch.rand(8)]
