"""PostgreSQL under Patroni with synchronous replication, and Postern in front of it."""

import json
import os
import subprocess
import time
import urllib.error
import urllib.request

from hosts import run

TTL = 20


def eventually(what, condition, seconds=120):
    """Waits until a condition holds."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise SystemExit(f"never: {what}")
        time.sleep(0.1)
    return value


def ask(url, data=None, timeout=2):
    """The status and the body of an answer; 0 when there is none."""
    body = None if data is None else json.dumps(data).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body), timeout=timeout) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return 0, ""


class Member:
    """A database host: etcd, Patroni with its PostgreSQL, and a pgbouncer in front of it."""

    def __init__(self, host, name, members):
        self.host = host
        self.name = name
        self.members = members

    def start(self):
        for part in ("etcd", "patroni", "pgbouncer"):
            self.start_part(part)

    def start_part(self, part):
        getattr(self, "_" + part)()

    def _etcd(self):
        address = self.host.address
        peers = ",".join(f"{member.name}=http://{member.host.address}:2380" for member in self.members)
        self.host.start(
            "etcd", "etcd", "--name", self.name, "--data-dir", self.host.directory + "/etcd", "--enable-v2=true",
            "--listen-peer-urls", f"http://{address}:2380", "--initial-advertise-peer-urls", f"http://{address}:2380",
            "--listen-client-urls", f"http://{address}:2379", "--advertise-client-urls", f"http://{address}:2379",
            "--initial-cluster", peers, "--heartbeat-interval", "250", "--election-timeout", "2500", "--unsafe-no-fsync",
            user="postgres",
        )

    def _patroni(self):
        address = self.host.address
        binaries = sorted(run("sh", "-c", "ls -d /usr/lib/postgresql/*/bin").stdout.split())[-1]
        settings = {
            "scope": "postern",
            "name": self.name,
            "restapi": {"listen": f"{address}:8008", "connect_address": f"{address}:8008"},
            # Not etcd3: Patroni 3.0's leader that was frozen then takes its lock back from the member that was promoted meanwhile.
            "etcd": {"hosts": [f"{member.host.address}:2379" for member in self.members]},
            "bootstrap": {
                "dcs": {
                    "ttl": TTL,
                    "loop_wait": 3,
                    "retry_timeout": 5,
                    "synchronous_mode": True,
                    "postgresql": {"use_pg_rewind": True, "parameters": {"max_connections": 200, "wal_log_hints": "on"}},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums"],
            },
            "postgresql": {
                "listen": f"{address}:5432",
                "connect_address": f"{address}:5432",
                "data_dir": self.host.directory + "/data",
                "bin_dir": binaries,
                "pg_hba": ["local all all trust", "host all all 0.0.0.0/0 trust", "host replication all 0.0.0.0/0 trust"],
                "parameters": {"unix_socket_directories": self.host.directory},
                "authentication": {
                    "superuser": {"username": "postgres"},
                    "replication": {"username": "replicator"},
                    "rewind": {"username": "postgres"},
                },
            },
        }
        path = self.host.directory + "/patroni.json"
        with open(path, "w") as file:
            json.dump(settings, file)
        self.host.start("patroni", "patroni", path, user="postgres")

    def _pgbouncer(self):
        path = self.host.directory + "/pgbouncer.ini"
        with open(path, "w") as file:
            file.write(
                f"[databases]\n* = host={self.host.address} port=5432 user=postgres\n[pgbouncer]\n"
                f"listen_addr = {self.host.address}\nlisten_port = 6432\nunix_socket_dir =\nauth_type = any\n"
                "pool_mode = session\ndefault_pool_size = 20\nserver_login_retry = 1\nignore_startup_parameters = extra_float_digits\n"
            )
        self.host.start("pgbouncer", "pgbouncer", "-q", path, user="postgres")

    @property
    def is_primary(self):
        """Whether the server takes writes, by its own word."""
        return self.query("SELECT NOT pg_is_in_recovery()", seconds=1) == "t"

    def query(self, sql, database="postgres", seconds=30):
        """The answer to a query; none when the server does not give one."""
        try:
            return subprocess.run(
                ["psql", "-XAtq", "-h", self.host.address, "-U", "postgres", "-c", sql, database],
                capture_output=True, text=True, timeout=seconds, check=True, env={**os.environ, "PGCONNECT_TIMEOUT": "2"},
            ).stdout.strip()
        except subprocess.SubprocessError:
            return None


class Cluster:
    """Three members, a balancer, and two nodes of Postern: one reaches the members by a URL with three hosts, the other by the
    balancer, which leads to the pgbouncer of the primary."""

    def __init__(self, directory, binary, make_host):
        self.binary = binary
        self.members = []
        for number in (1, 2, 3):
            self.members.append(Member(make_host(f"db{number}", number, directory), f"db{number}", self.members))
        self.balancer = make_host("balancer", 20, directory)
        self.nodes = [make_host("node1", 11, directory), make_host("node2", 12, directory)]
        hosts = ",".join(member.host.address for member in self.members)
        self.urls = [f"postgresql://postgres@{hosts}/postern", f"postgresql://postgres@{self.balancer.address}:5000/postern"]

    def start(self):
        for member in self.members:
            member.start()
        eventually("a primary", lambda: self.primary)
        self.settle()
        eventually("a database", lambda: self.primary.query("CREATE DATABASE postern") is not None)
        self.start_balancer()
        for number in range(2):
            self.start_node(number)

    def start_balancer(self):
        path = self.balancer.directory + "/haproxy.cfg"
        with open(path, "w") as file:
            file.write(
                "global\n  maxconn 500\ndefaults\n  mode tcp\n  timeout connect 2s\n  timeout client 1h\n  timeout server 1h\n"
                f"listen primary\n  bind {self.balancer.address}:5000\n  option httpchk GET /primary\n  http-check expect status 200\n"
                "  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions\n"
            )
            for member in self.members:
                file.write(f"  server {member.name} {member.host.address}:6432 check port 8008\n")
        self.balancer.start("haproxy", "haproxy", "-db", "-f", path)
        # HAProxy leads to any member until it has asked each.
        eventually("the balancer leads to the primary", self._leads_to_primary)

    def _leads_to_primary(self):
        command = ["psql", "-XAtq", "-h", self.balancer.address, "-p", "5000", "-U", "postgres", "-c", "SELECT NOT pg_is_in_recovery()", "postern"]
        return [run(*command, check=False).stdout.strip() for _ in range(3)] == ["t"] * 3

    def start_node(self, number):
        self.nodes[number].start("postern", self.binary, "serve", environment=self._settings(number))
        eventually(f"node {number + 1} serves", lambda: ask(self.base(number) + "/readyz")[0] == 200)

    def command(self, *arguments):
        """Runs a command of Postern on the first node. What it printed, or its complaint."""
        node = self.nodes[0]
        environment = {"PATH": os.environ["PATH"], "HOME": node.directory, **self._settings(0)}
        result = subprocess.run([*node.prefix(), self.binary, *arguments], capture_output=True, text=True, env=environment, timeout=600)
        return result.returncode, (result.stdout + result.stderr).strip()

    def _settings(self, number):
        return {
            "POSTERN_MODE": "development", "POSTERN_DEVELOPMENT_SIGN_TOKENS": "true", "POSTERN_DEVELOPMENT_ALLOW_REMOTE": "true",
            "POSTERN_SERVER_HOST": self.nodes[number].address, "POSTERN_SERVER_PORT": "9099", "POSTERN_PROJECT_FILE": "",
            "POSTERN_DATABASE_URL": self.urls[number], "POSTERN_DATABASE_POOL_SIZE": "8",
            "POSTERN_SECRETS_MASTER_KEY": "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=", "POSTERN_LOG_LEVEL": "warning",
        }

    def base(self, number):
        return f"http://{self.nodes[number].address}:9099"

    @property
    def primary(self):
        """The member that Patroni names as the primary."""
        return next((member for member in self.members if ask(f"http://{member.host.address}:8008/primary")[0] == 200), None)

    def settle(self):
        """Waits until there is a primary that both others follow, one of them synchronously."""

        def is_settled():
            primary = self.primary
            if primary is None:
                return False
            states = primary.query("SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming' ORDER BY 1")
            # PostgreSQL knows its synchronous follower a moment earlier than Patroni, which promotes no other.
            roles = json.loads(ask(f"http://{primary.host.address}:8008/cluster")[1] or "{}").get("members", [])
            return (states or "").split() == ["async", "sync"] and "sync_standby" in [member["role"] for member in roles]

        eventually("two followers", is_settled, 240)

    def new_primary(self, old):
        """Waits until another member than the old primary takes writes. When that was."""

        def find():
            return next((member for member in self.members if member is not old and member.is_primary), None)

        eventually("a new primary", find)
        return time.monotonic()
