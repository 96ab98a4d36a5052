"""Looks at the page of a run while it goes on, as many people at once. Ends with its parent.

readers.py ASSAY RUN COUNT   starts `assay watch` as soon as RUN is there; each reader follows the
                             events, and opens the page anew every five seconds

The last line, once it is told to end, is how often the page was opened, and by how many at once.
"""

import http.client
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
from pathlib import Path

PERIOD_S = 5.0
LONGEST_S = 300.0  # the page's server stands still while windows are open

assay, run, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
parent = os.getppid()
opened = 0
following = 0
counting = threading.Lock()


def follow(host: str) -> None:
    global following
    connection = http.client.HTTPConnection(host, timeout=LONGEST_S)
    connection.request("GET", "/events", headers={"Host": host})
    events = connection.getresponse()
    assert events.status == 200, events.status
    with counting:
        following += 1
    while events.readline():
        pass


def open_page(host: str) -> None:
    global opened
    while True:
        connection = http.client.HTTPConnection(host, timeout=LONGEST_S)
        connection.request("GET", "/", headers={"Host": host})
        assert len(connection.getresponse().read()) > 0
        connection.close()
        with counting:
            opened += 1
        time.sleep(PERIOD_S)


def main() -> None:
    while not (run / "assay.sqlite").exists():
        if os.getppid() != parent:
            return
        time.sleep(0.05)
    command = [assay, "watch", str(run), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watch:
        assert watch.stdout is not None
        address = watch.stdout.readline().rpartition(" ")[2].strip()
        host = urllib.parse.urlsplit(address).netloc
        for _ in range(count):
            threading.Thread(target=follow, args=(host,), daemon=True).start()
            threading.Thread(target=open_page, args=(host,), daemon=True).start()
        over = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: over.set())
        while os.getppid() == parent and not over.is_set():
            time.sleep(0.05)
        watch.terminate()
    print(opened, following, flush=True)
    os._exit(0)


main()
