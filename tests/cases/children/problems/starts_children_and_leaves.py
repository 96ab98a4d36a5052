import os
import subprocess

subprocess.Popen(["sleep", "1000"])
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve("/bin/sleep", ["harmless", "1000"], {})
os._exit(0)
