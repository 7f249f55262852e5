"""Starts the servers that pages of the documentation talk to. Each is the built binary in its own process."""

import base64
import json
import re
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yaml

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass
class Server:
    """What a page's texts stand for, and the variables that its commands see."""

    replaced: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)

    def real(self, text: str) -> str:
        """A text of the page with what its parts stand for."""
        for written, real in self.replaced.items():
            text = text.replace(written, real)
        return text


class Launcher:
    """Starts servers with one binary.

    Its authority signs the certificates of production servers.
    """

    def __init__(self, binary: Path, folder: Path):
        self.binary = binary
        self.folder = folder
        self.authority = folder / "authority.pem"
        self._certify()

    def _certify(self):
        openssl = lambda *arguments: subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
        openssl("req", "-x509", *key, "-keyout", "authority.key", "-out", "authority.pem", "-subj", "/CN=Authority of the pages")
        openssl(
            "req", "-x509", *key, "-keyout", "server.key", "-out", "server.pem", "-subj", "/CN=localhost",
            "-CA", "authority.pem", "-CAkey", "authority.key", "-addext", "subjectAltName=DNS:localhost",
            "-addext", "basicConstraints=critical,CA:FALSE",
        )

    @contextmanager
    def beside(self, kind: str, folder: Path, project: dict):
        """Runs a server of this kind, with its files in the page's folder.

        A server in production has this project besides its own.
        """
        with self._production(folder, project) if kind == "production" else getattr(self, f"_{kind}")(folder) as server:
            # The places of the Debian package. What stands for the address comes first, see `send` of run.py.
            (folder / "data").mkdir(exist_ok=True)
            server.replaced |= {"/etc/postern": str(folder), "/var/lib/postern": str(folder / "data")}
            yield server

    @contextmanager
    def _none(self, folder: Path):
        yield Server()

    @contextmanager
    def _emulator(self, folder: Path):
        with self._process(["emulator", "--project", "demo-app", "--port", "0"], {}, folder) as address:
            yield Server({"127.0.0.1:9099": address})

    _development = _emulator

    @contextmanager
    def _walkthrough(self, folder: Path):
        shutil.copytree(REPOSITORY / "Config", folder / "Config")
        idp = self.binary.with_name("loopback-idp")
        with self._process(["--port", "0"], {}, folder, program=idp, pattern=r"Issuers: http://([0-9.:]+)") as provider:
            project = folder / "Config/project.yaml"
            project.write_text(project.read_text().replace("127.0.0.1:9098", provider))
            endpoints = {f"POSTERN_ENDPOINTS_{name.upper()}": f"http://{provider}/{name}" for name in ("apple", "google")}
            settings = endpoints | {"POSTERN_SERVER_PORT": "0"}
            with self._process(["serve", "--config", "Config/development.yaml"], settings, folder) as address:
                yield Server({"127.0.0.1:9099": address, "127.0.0.1:9098": provider})

    @contextmanager
    def _production(self, folder: Path, project: dict):
        with self._mail(folder) as mail, _held_port() as port:
            url = f"https://localhost:{port}"
            self.write(folder, self.settings(url, port, mail), merged(PROJECT, project))
            with self._process(["serve", "--config", "postern.yaml"], {}, folder):
                command = lambda *arguments: self.run([*arguments, "--config", "postern.yaml"], folder)
                command("service-account", "create", "docs", "--output", "key.json")
                command("service-account", "create", "minter", "--held")
                token = json.loads(command("admin-token", "create", "docs", "--json").splitlines()[-1])["token"]
                trust = ("CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
                variables = {name: str(self.authority) for name in trust} | {"ADMIN_TOKEN": token}
                yield Server({"https://auth.example.com": url}, variables)

    def settings(self, url="https://auth.example.com", port=9099, mail=2525) -> dict:
        """Valid settings of a server in production."""
        return {
            "mode": "production",
            "server": {
                "host": "127.0.0.1", "port": port, "publicURL": url,
                "tls": {"certificateFile": str(self.folder / "server.pem"), "privateKeyFile": str(self.folder / "server.key")},
            },
            "project": {"id": "my-project", "apiKeys": ["my-api-key"], "file": "project.yaml"},
            "database": {"url": "sqlite:postern.sqlite"},
            "secrets": {"masterKey": base64.b64encode(bytes(range(32))).decode()},
            # As cheap as may be: it is not the hash that pages show.
            "passwords": {"argon2MemoryKib": 8192, "argon2Iterations": 1},
            "email": {"transport": "smtp", "from": "noreply@example.com", "smtp": {"url": f"smtp://127.0.0.1:{mail}"}},
            "outbound": {"allowPrivateNetworks": True},
        }

    def write(self, folder: Path, settings: dict, project: dict):
        """Writes `postern.yaml`, whose settings are valid if the given ones are, and `project.yaml`."""
        # Pages name the key of an app at Apple so.
        (folder / "Config").mkdir(exist_ok=True)
        shutil.copy(self.folder / "server.key", folder / "Config/AuthKey.p8")
        (folder / "postern.yaml").write_text(yaml.safe_dump(merged(self.settings(), settings)))
        (folder / "project.yaml").write_text(yaml.safe_dump(project))

    def run(self, arguments: list[str], folder: Path) -> str:
        """Runs one of Postern's commands, and returns what it printed.

        Raises: RuntimeError with its output when it fails.
        """
        done = subprocess.run(
            [self.binary, *arguments], cwd=folder, env={}, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60
        )
        if done.returncode:
            raise RuntimeError(f"postern {' '.join(arguments)}: {done.stdout}")
        return done.stdout

    @contextmanager
    def _mail(self, folder: Path):
        # Debian's own interpreter, because aiosmtpd is installed for it.
        script = REPOSITORY / "Tests/TestKit/SMTP/smtp_server.py"
        pattern = r"LISTENING ([0-9]+)"
        with self._process([script], {}, folder, program=Path("/usr/bin/python3"), pattern=pattern) as port:
            yield int(port)

    @contextmanager
    def _process(self, arguments, variables, folder, program=None, pattern=r"listening on (?:https?://)?(127\.0\.0\.1:[0-9]+)"):
        output = folder / f".{(program or self.binary).name}-{time.monotonic_ns()}.log"
        with open(output, "wb") as log:
            process = subprocess.Popen(
                [program or self.binary, *arguments], cwd=folder, env=variables, stdin=subprocess.PIPE, stdout=log, stderr=log
            )
        try:
            end = time.monotonic() + 60
            while not (match := re.search(pattern, output.read_text(errors="replace"))):
                if process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"{process.args} does not serve: {output.read_text(errors='replace')}")
                time.sleep(0.05)
            yield match[1]
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def merged(base, piece):
    """Settings in which those of the piece replace others."""
    if isinstance(base, dict) and isinstance(piece, dict):
        return base | {key: merged(base.get(key), value) for key, value in piece.items()}
    return piece


@contextmanager
def _held_port():
    """A port that nobody else gets before the server listens: it is bound, but not listened on."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


PROJECT = {
    "config": {
        "signIn": {
            "anonymous": {"enabled": True},
            "email": {"enabled": True, "passwordRequired": False},
            "phoneNumber": {"enabled": True},
        },
        "mfa": {"state": "ENABLED", "providerConfigs": [{"state": "ENABLED", "totpProviderConfig": {}}]},
        "multiTenant": {"allowTenants": True},
        "authorizedDomains": ["localhost", "app.example.com", "auth.example.com"],
    }
}
