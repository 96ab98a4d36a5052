"""Runs a command on a terminal 60 columns wide. Prints what is on the screen when it ends, after
the lines of status that were there for a while."""

import fcntl
import os
import pty
import struct
import sys
import termios

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
written = b""
while True:
    try:
        some = os.read(terminal, 4096)
    except OSError:  # the other end is closed
        break
    written += some
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

shown = []
screen = [""]
for piece in written.decode().replace("\x1b[K", "\0").replace("\r\n", "\n"):
    if piece == "\n":
        screen.append("")
    elif piece == "\r":
        shown.append(screen[-1])
    elif piece == "\0":
        screen[-1] = ""
    else:
        screen[-1] += piece
assert all(len(line) < 60 for line in shown), max(map(len, shown))
for line in dict.fromkeys(shown):
    print("status:", line)
for line in screen:
    print("screen:", line)
print("exit status", status)
