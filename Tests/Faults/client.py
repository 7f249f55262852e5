"""Calls of clients and administrators, and what the network does to them."""

import http.client
import json
import re
import socket
import time
import urllib.parse

from servers import KEY, PROJECT

# What a client does to its own call. Its outcome is unknown, because no answer is read.
NETWORK_FAULTS = ("hung-up", "half-sent", "silent")
MESSAGE = re.compile(r"[A-Z][A-Z0-9_]+( : .{1,500})?")


class Answer:
    """`state` is "ok", "no", "unknown", or "never" for a call that cannot have begun. `text` is the error's message, or why."""

    def __init__(self, state, value=None, text=""):
        self.state, self.value, self.text = state, value or {}, text

    def __repr__(self):
        return self.state if self.state == "ok" else f"{self.state} ({self.text})"


class Client:
    """Calls one node, on two connections that stay open."""

    def __init__(self, node):
        self.node = node
        self.connections = {}

    def call(self, path, body, is_admin=False, is_form=False, fault=None):
        """A call and its answer. Raises AssertionError for answers that no server may give."""
        port = self.node.private_port if is_admin else self.node.port
        data = (urllib.parse.urlencode(body) if is_form else json.dumps(body)).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded" if is_form else "application/json"}
        if is_admin:
            headers["Authorization"] = "Bearer owner"
            path = f"/v1/projects/{PROJECT}/{path}"
        else:
            path = f"/v1/{path}?key={KEY}"
        if fault:
            return self._broken_call(port, path, data, headers, fault)
        connection = self.connections.get(port)
        if connection is None:
            connection = self.connections[port] = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            connection.request("POST", path, data, headers)
            answer = connection.getresponse()
            return self._read(answer.status, answer.read())
        except TimeoutError as error:
            raise AssertionError(f"{path}: no answer within 20 seconds") from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            del self.connections[port]
            if isinstance(error, ConnectionRefusedError):
                return Answer("never", text="nobody listens")
            return Answer("unknown", text=type(error).__name__)

    def _read(self, status, text):
        try:
            value = json.loads(text)
        except ValueError as error:
            raise AssertionError(f"status {status} without JSON: {text[:200]!r}") from error
        if status == 200:
            return Answer("ok", value)
        error = value.get("error")
        # The token endpoint has the same envelope.
        message = error.get("message") if isinstance(error, dict) else None
        if status == 503 and isinstance(message, str):
            return Answer("unknown", text=message)
        if not isinstance(message, str) or not MESSAGE.fullmatch(message):
            raise AssertionError(f"status {status} with {text[:300]!r}")
        if status >= 500 or status == 429:
            raise AssertionError(f"status {status}: {message}")
        return Answer("no", text=message)

    def _broken_call(self, port, path, data, headers, fault):
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(data)}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
                request = head.encode() + data
                if fault == "half-sent":
                    # The server never gets the whole body, so that nothing happens.
                    connection.sendall(request[:-3])
                    return Answer("never", text="half of it was sent")
                connection.sendall(request)
                if fault == "silent":
                    # The answer arrives and is never read.
                    time.sleep(0.05)
        except OSError:
            pass
        return Answer("unknown", text=fault)

    def close(self):
        for connection in self.connections.values():
            connection.close()
        self.connections = {}
