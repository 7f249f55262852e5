"""The servers under test: nodes of Postern whose files and clock can be broken, on an SQLite file or on one PostgreSQL behind a proxy."""

import glob
import json
import mmap
import os
import signal
import socket
import sqlite3
import struct
import subprocess
import time
import urllib.error
import urllib.request

from issuer import CLIENT_ID
from proxy import Proxy

PROJECT = "faults"
KEY = "faults-key"
# In the order of shim.c.
FILE_FAULTS = ("full", "broken", "unflushed", "short", "slow", "killed", "torn", "lost")
LAYOUT = struct.Struct("=qiiiiq")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def eventually(what, condition, seconds=30):
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"never: {what}")
        time.sleep(0.01)
    return value


def build_shim(directory):
    path = os.path.join(directory, "shim.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shim.c")
    subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", path, source, "-ldl"], check=True)
    return path


class Shim:
    """Steers what shim.c does to one process."""

    def __init__(self, path):
        with open(path, "wb") as file:
            file.write(bytes(mmap.PAGESIZE))
        self.file = open(path, "r+b")
        self.page = mmap.mmap(self.file.fileno(), mmap.PAGESIZE)

    def _put(self, offset, form, value):
        struct.pack_into(form, self.page, offset, value)

    def arm(self, kind, before, calls, delay=0):
        """`before` calls pass, then `calls` meet the fault."""
        self._put(12, "=i", before)
        self._put(16, "=i", calls)
        self._put(20, "=i", delay)
        self._put(8, "=i", FILE_FAULTS.index(kind) + 1)

    def disarm(self):
        self._put(8, "=i", 0)

    def move_clock(self, seconds):
        self._put(0, "=q", int(seconds * 1e9))

    @property
    def fired(self):
        return LAYOUT.unpack_from(self.page)[5]


class Node:
    """One server process. It keeps its ports when it is started again."""

    def __init__(self, number, binary, directory, url, shim_path, issuer):
        self.number, self.binary = number, binary
        self.directory = os.path.join(directory, f"node{number}")
        os.makedirs(self.directory)
        self.port, self.private_port = free_port(), free_port()
        self.shim = Shim(os.path.join(self.directory, "control"))
        project = {
            "config": {"signIn": {"email": {"enabled": True, "passwordRequired": False}}, "authorizedDomains": ["app.example.com"]},
            "defaultSupportedIdpConfigs": {"google.com": {"enabled": True, "clientId": CLIENT_ID, "clientSecret": "none"}},
        }
        project_file = os.path.join(self.directory, "project.yaml")
        with open(project_file, "w") as file:
            # Every JSON document is a YAML document.
            json.dump(project, file)
        many = "1000000"
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": self.directory, "POSTERN_MODE": "production", "POSTERN_PROJECT_ID": PROJECT,
            "POSTERN_PROJECT_API_KEYS": KEY, "POSTERN_PROJECT_FILE": project_file, "POSTERN_SERVER_HOST": "127.0.0.1",
            "POSTERN_SERVER_PORT": str(self.port), "POSTERN_SERVER_ADMIN_HOST": "127.0.0.1",
            "POSTERN_SERVER_ADMIN_PORT": str(self.private_port), "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com",
            "POSTERN_DATABASE_URL": url, "POSTERN_SECRETS_MASTER_KEY": "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=",
            "POSTERN_ENDPOINTS_GOOGLE": issuer.url, "POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS": "true",
            "POSTERN_PASSWORDS_ARGON2_MEMORY_KIB": "8192", "POSTERN_PASSWORDS_ARGON2_ITERATIONS": "1",
            "POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": many, "POSTERN_LIMITS_SIGN_IN_REFUSED_CALLS_PER_ADDRESS_PER_HOUR": many,
            "POSTERN_LIMITS_PASSWORD_FAILURES_PER_ADDRESS_PER_HOUR": many, "POSTERN_LIMITS_PASSWORD_FAILURES_PER_ACCOUNT": "100",
            "POSTERN_LIMITS_EMAIL_PER_RECIPIENT_PER_HOUR": many, "POSTERN_LIMITS_EMAIL_PER_ADDRESS_PER_HOUR": many,
            "POSTERN_LIMITS_ACCOUNT_CHANGES_PER_HOUR": many, "POSTERN_LOG_LEVEL": "warning",
            "POSTERN_DATABASE_ANSWER_SECONDS": "2",
        }
        self.shim_environment = {
            "LD_PRELOAD": shim_path, "FAULTS_CONTROL": self.shim.file.name, "FAULTS_DIRECTORY": os.path.join(directory, "data"),
        }
        self.process = None
        # A fault of its files has killed it, though perhaps not yet.
        self.is_to_be_killed = False

    def start(self):
        self.starts = 0
        self._launch()
        self.await_ready()

    def _launch(self):
        self.starts += 1
        with open(os.path.join(self.directory, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.directory,
                env=self.environment | self.shim_environment,
            )
        self.is_to_be_killed = self.was_killed = False

    def await_ready(self):
        def is_ready():
            # What watches over a node starts it again where the store was away at its start.
            if self.process.poll() == 1 and "Error: the store cannot be used" in self.log_end() and self.starts < 5:
                return self._launch()
            if self.process.poll() is not None:
                raise AssertionError(f"node {self.number} ended with {self.process.returncode}\n{self.log_end()}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5) as answer:
                    return answer.status == 200
            except (OSError, urllib.error.URLError):
                return False

        eventually(f"node {self.number} is ready", is_ready)

    @property
    def has_been_killed(self):
        """Whether it was this program that ended it."""
        return (self.was_killed or self.is_to_be_killed) and self.process.poll() == -signal.SIGKILL

    @property
    def has_ended(self):
        return self.process.poll() is not None

    def kill(self):
        self.was_killed = True
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Ends it as an operator does. Its exit code."""
        self.process.terminate()
        return self.process.wait(60)

    def command(self, *arguments):
        """Runs a command of Postern on the store of this node."""
        result = subprocess.run(
            [self.binary, *arguments], capture_output=True, text=True, env=self.environment, cwd=self.directory, timeout=600
        )
        return result.returncode, (result.stdout + result.stderr).strip()

    def log_end(self):
        with open(os.path.join(self.directory, "log"), errors="replace") as log:
            return "".join(log.readlines()[-15:])


class SQLite:
    """One node on a file."""

    name = "SQLite"
    file_faults = ("full", "broken", "unflushed", "short", "slow", "killed", "torn")
    proxy = None

    def __init__(self, binary, directory, shim_path, issuer):
        data = os.path.join(directory, "data")
        os.makedirs(data)
        self.path = os.path.join(data, "postern.sqlite")
        self.nodes = [Node(1, binary, directory, "sqlite:" + self.path, shim_path, issuer)]

    def start(self):
        self.nodes[0].start()

    def integrity(self):
        """What the engine itself says about its files after the end of the node."""
        return self.query("PRAGMA integrity_check")

    def figures(self):
        """What must be nothing in the engine's own statistics."""
        return {}

    def query(self, sql):
        with sqlite3.connect(self.path) as connection:
            return "\n".join("|".join(map(str, row)) for row in connection.execute(sql))

    def end(self):
        for node in self.nodes:
            if node.process and not node.has_ended:
                node.kill()


class PostgreSQL:
    """Two nodes on one server, which they reach by a proxy."""

    name = "PostgreSQL"
    # The store's files are PostgreSQL's own. Nodes can only be killed.
    file_faults = ()

    def __init__(self, binary, directory, shim_path, issuer):
        self.binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.directory = os.path.join(directory, "postgresql")
        os.makedirs(self.directory)
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        if self.user:
            os.chmod(directory, 0o755)
            subprocess.run(["chown", "postgres", self.directory], check=True)
        self.port = free_port()
        self.proxy = Proxy(self.port)
        url = f"postgresql://postgres@127.0.0.1:{self.proxy.port}/postgres"
        self.nodes = [Node(number, binary, directory, url, shim_path, issuer) for number in (1, 2)]
        self.server = None

    def _run(self, program, *arguments):
        command = [*self.user, os.path.join(self.binaries, program), *arguments]
        result = subprocess.run(command, capture_output=True, text=True, cwd=self.directory)
        if result.returncode != 0:
            raise AssertionError(f"{program}: {result.stdout}{result.stderr}")
        return result.stdout.strip()

    def start(self):
        data = os.path.join(self.directory, "data")
        self._run("initdb", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync", "-D", data)
        log = open(os.path.join(self.directory, "log"), "ab")
        # Processes are killed here, the machine is not, so that nothing depends on flushes.
        self.server = subprocess.Popen(
            [*self.user, os.path.join(self.binaries, "postgres"), "-D", data, "-p", str(self.port), "-k", self.directory,
             "-c", "fsync=off", "-c", "max_connections=60"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.directory,
        )
        eventually("PostgreSQL serves", lambda: self._is_up())
        for node in self.nodes:
            node.start()

    def _is_up(self):
        command = [os.path.join(self.binaries, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(command).returncode == 0

    def integrity(self):
        """Whether each index leads to the rows of its table."""
        self.query("CREATE EXTENSION amcheck")
        return self.query(
            "SELECT coalesce(max(bt_index_check(c.oid, true)::text), '') || 'ok' FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
            "JOIN pg_am a ON a.oid = c.relam JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE a.amname = 'btree' AND n.nspname = 'public'"
        )

    def figures(self):
        """What must be nothing in the engine's own statistics. A deadlock is two orders of the same locks, and costs a second."""
        return {"deadlocks": self.query("SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'")}

    def query(self, sql):
        return self._run("psql", "-XAtq", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-c", sql)

    def end(self):
        for node in self.nodes:
            if node.process and not node.has_ended:
                node.kill()
        if self.server:
            self.server.send_signal(signal.SIGINT)
            self.server.wait(60)
