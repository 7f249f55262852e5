"""A proxy between the nodes and PostgreSQL, which does to connections what networks do."""

import socket
import struct
import threading
import time

# A connection that is silent for so long is cut in the end. One of eight is longer than a node waits for an answer.
HALF_OPEN_SECONDS = (2.5,) + (0.2,) * 7
# The first bytes of the protocol's messages.
MESSAGE_TYPES = b"123ABCDEGHIKNPQRSTVWXZcdfnpstv"


class Proxy:
    """Forwards connections. A fault meets the connection that carries the chunk of bytes whose turn it is."""

    KINDS = ("cut", "half-open", "slow", "corrupt")

    def __init__(self, target):
        """`target` is the port of PostgreSQL on this machine."""
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.fired = 0
        self.lock = threading.Lock()
        self.silent = 0
        self.heard = threading.Condition(self.lock)
        self.disarm()
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self, kind, before, chunks):
        """From now on `before` chunks pass, and the `chunks` after them meet the fault."""
        with self.lock:
            self.kind, self.before, self.chunks = kind, before, chunks

    def disarm(self):
        """Ends the fault. A connection that is still silent, perhaps one of a node's own work, is cut before this returns."""
        with self.lock:
            self.kind, self.before, self.chunks = None, 0, 0
            self.heard.wait_for(lambda: self.silent == 0)

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            for ends in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._forward, args=ends, daemon=True).start()

    def _met(self):
        with self.lock:
            if self.kind is None:
                return None
            if self.before > 0:
                self.before -= 1
                return None
            kind = self.kind
            self.fired += 1
            self.chunks -= 1
            if self.chunks <= 0:
                self.kind = None
            return kind

    def _be_silent(self):
        with self.lock:
            self.silent += 1
        time.sleep(HALF_OPEN_SECONDS[self.fired % len(HALF_OPEN_SECONDS)])
        with self.lock:
            self.silent -= 1
            self.heard.notify_all()

    def _forward(self, source, target, is_request):
        try:
            while data := source.recv(65536):
                kind = self._met()
                if kind == "cut":
                    # Part of a message arrives, then a reset.
                    target.sendall(data[: len(data) // 2])
                    for end in (source, target):
                        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    break
                if kind == "half-open":
                    self._be_silent()
                    break
                if kind == "slow":
                    time.sleep(0.03)
                if kind == "corrupt" and data[0] in MESSAGE_TYPES:
                    # The type of the first message is none that exists. Values are not touched: only TLS would tell.
                    data = b"\xff" + data[1:]
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        # Each direction closes the end that it reads from.
        source.close()
