"""Reads what assay-watcher serves, by sockets alone."""

import http.client
import json
import os
import resource
import socket
import sys
import urllib.parse

what, address, *rest = sys.argv[1:]
url = urllib.parse.urlsplit(address)
PORT = url.port
HOST = f"127.0.0.1:{PORT}"


def ask(path="/", method="GET", **headers):
    """The status, the headers and the body."""
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=20)
    connection.request(
        method, path, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, answer.headers, body


def raw(text):
    """The status that these bytes are answered with."""
    with socket.create_connection(("127.0.0.1", PORT), timeout=20) as connection:
        connection.sendall(text.encode())
        return int(connection.recv(64).split()[1])


class Events:
    """One after the other: (name, id, data)."""

    def __init__(self, **headers):
        self.connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=20)
        self.connection.request(
            "GET", "/events", headers={n.replace("_", "-"): v for n, v in headers.items()}
        )
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, self.answer.status
        assert self.answer.headers["Content-Type"] == "text/event-stream"

    def next(self, name):
        """The next one of that name; none once the stream has ended."""
        event = {}
        while line := self.answer.readline().decode():
            if line != "\n":
                field, _, value = line.rstrip("\n").partition(": ")
                event[field] = value
            elif event.get("event") == name:
                return event["id"], json.loads(event["data"])
            else:
                event = {}
        return None


def live(hold):
    events = Events()
    seen, attempts = events.next("attempts")
    assert attempts["whole"], attempts
    while not attempts["at"]:
        seen, attempts = events.next("attempts")
    assert attempts["at"] == [0], attempts
    assert attempts["head"]["rows"] == 1 and attempts["columns"]["problem"] == ["quick"], attempts
    seen, state = events.next("state")
    while not any(each["what"].endswith("/slow.py") for each in state["under_way"]):
        seen, state = events.next("state")
    assert state["at_work"] and state["planned"] == 2, state
    (now,) = state["under_way"]
    assert now["stage"] == "export" and now["what"].endswith("/slow.py"), state
    print("one is there, and one under way")
    os.remove(hold)
    later, attempts = events.next("attempts")
    assert later != seen and not attempts["whole"] and attempts["at"] == [1], attempts
    assert attempts["columns"]["problem"] == ["slow"], attempts
    print("the other came when it ended")
    while (event := events.next("state")) is not None:
        state = event[1]
    assert not state["under_way"], state
    print("the stream ended with the run")


def access():
    status, headers, page = ask()
    assert status == 200 and 'id="assay-live"' in page and "connect-src 'self'" in page
    assert headers["Cache-Control"] == "no-store" and headers["X-Frame-Options"] == "DENY"
    for path, status in {
        "/attempt?id=work/_/local/quick": 200,
        "/attempt?id=nobody": 404,
        "/attempt": 404,
        "/../../etc/passwd": 404,
        "/%2e%2e/%2e%2e/etc/passwd": 404,
        "/assay.sqlite": 404,
    }.items():
        assert ask(path)[0] == status, (path, ask(path)[0])
    details = json.loads(ask("/attempt?id=work/_/local/quick")[2])
    assert details["attempt"]["verdict"] == "exported", details
    assert ask(method="HEAD")[0] == 200
    for method in "POST", "PUT", "DELETE", "OPTIONS", "PATCH":
        assert ask(method=method)[0] in (400, 405), (method, ask(method=method)[0])
    refused = {
        "another host": ask(Host="evil.example")[0],
        "another host with our port": ask(Host=f"evil.example:{PORT}")[0],
        "another address": ask(Host=f"192.0.2.1:{PORT}")[0],
        "another origin": ask("/events", Origin="http://evil.example")[0],
        "another port's origin": ask("/events", Origin=f"http://127.0.0.1:{PORT + 1}")[0],
        "null origin": ask("/events", Origin="null")[0],
        "no host": raw("GET / HTTP/1.1\r\n\r\n"),
        "two hosts": raw(f"GET / HTTP/1.1\r\nHost: {HOST}\r\nHost: evil.example\r\n\r\n"),
        "no request": raw("hello\r\n\r\n"),
    }
    for name, status in refused.items():
        print(f"{name}: {status}")
    for headers in {"Host": f"localhost:{PORT}"}, {"Host": HOST, "Origin": f"http://{HOST}"}:
        assert ask(**headers)[0] == 200, headers


def crowd():
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    )
    readers = [Events() for _ in range(256)]
    assert all(each.next("attempts") for each in readers)
    status, headers, _ = ask()
    print(f"256 read, and the next is told {status}, come again in {headers['Retry-After']} s")
    for each in readers:
        each.answer.close()
        each.connection.close()
    # Each is noticed when it is written to.
    while ask()[0] == 503:
        pass
    print("they went, and others are served")


def again():
    events = Events(Last_Event_ID="0123456789abcdef-7")
    seen, attempts = events.next("attempts")
    assert attempts["whole"] and attempts["at"] == [0, 1], attempts
    for hostile in "", "x", "-", "0123456789abcdef-", "99999999999999999999-1", f"{seen}x":
        assert Events(Last_Event_ID=hostile).next("attempts")[1]["whole"], hostile
    # Who has seen all waits.
    waits = Events(Last_Event_ID=seen)
    waits.connection.sock.settimeout(1)
    try:
        waits.answer.readline()
        print("something came that was seen")
    except TimeoutError:
        print("who has seen all waits; others get all")


def token():
    secret = urllib.parse.parse_qs(url.query)["token"][0]
    assert len(secret) == 32
    print(
        "without:",
        ask()[0],
        "wrong:",
        ask(f"/?token={secret[::-1]}")[0],
        ask(Cookie="assay_token=")[0],
    )
    status, headers, _ = ask(f"/?token={secret}")
    cookie = headers["Set-Cookie"]
    assert status == 303 and headers["Location"] == "/" and "HttpOnly; SameSite=Strict" in cookie, (
        status,
        cookie,
    )
    print("with its cookie:", ask(Cookie="other=1; " + cookie.split(";")[0])[0])
    print("as a bearer:", ask("/attempt?id=x", Authorization=f"Bearer {secret}")[0])
    print("under another name:", ask(f"/?token={secret}", Host="evil.example")[0])


globals()[what](*rest)
