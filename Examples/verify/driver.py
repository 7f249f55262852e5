"""Runs every verifier of this folder against one table of tokens, see test.

The good tokens come from the server. The hostile ones are signed by a key of this driver's own where a signature matters, and a loopback
server publishes that key beside the server's, so that nothing but the check in question can refuse them.
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import textwrap
import threading
import time
import urllib.error
import urllib.request

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

import run_envoy

HERE = pathlib.Path(__file__).parent
URL, API_KEY = os.environ["POSTERN_TEST_URL"], os.environ["POSTERN_TEST_API_KEY"]
PROJECT, SCRATCH = os.environ["POSTERN_TEST_PROJECT_ID"], pathlib.Path(os.environ["POSTERN_TEST_SCRATCH"])
ISSUER = f"https://securetoken.google.com/{PROJECT}"
TRUST = ssl.create_default_context(cafile=os.environ["POSTERN_TEST_CA"])
JACKSON = [f"/usr/share/java/jackson-{part}.jar" for part in ("core", "databind", "annotations")]


def call(method, path, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, {"Content-Type": "application/json", **headers}, method=method)
    with urllib.request.urlopen(request, context=TRUST) as answer:
        return json.load(answer)


def part(value):
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


class Keys:
    """A key of the driver's own, published together with those of the server."""

    def __init__(self):
        self.private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        public = self.private.public_key()
        self.public_pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        own = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(public)) | {"kid": "own", "use": "sig", "alg": "RS256"}
        document = call("GET", "/.well-known/jwks.json")
        self.document = json.dumps({"keys": document["keys"] + [own]}).encode()
        self.fetches = 0

    def serve(self):
        keys = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                keys.fetches += 1
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(keys.document)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}/jwks"


def tokens(keys):
    """The table: what a token is, the token, and whether it is good."""
    session = call("POST", f"/v1/accounts:signUp?key={API_KEY}", {"returnSecureToken": True})
    real = session["idToken"]
    header, payload, signature = real.split(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
    admin = {"Authorization": f"Bearer {os.environ['POSTERN_TEST_ADMIN_TOKEN']}"}
    cookie = call("POST", f"/v1/projects/{PROJECT}:createSessionCookie", {"idToken": real, "validDuration": "600"}, **admin)
    now = int(time.time())

    def own(changes=None, extra=None, key=keys.private, algorithm="RS256", without=()):
        changed = {name: value for name, value in (claims | (changes or {})).items() if name not in without}
        return jwt.encode(changed, key, algorithm=algorithm, headers={"kid": "own"} | (extra or {}))

    def with_header(fields, sign=True):
        text = f"{part(fields)}.{payload}"
        algorithm = jwt.algorithms.RSAAlgorithm(jwt.algorithms.RSAAlgorithm.SHA256)
        return f"{text}.{part(algorithm.sign(text.encode(), keys.private)) if sign else ''}"

    # The public key as the secret: a library that lets the header choose the algorithm takes it.
    confused = f"{part({'alg': 'HS256', 'typ': 'JWT', 'kid': 'own'})}.{payload}"
    confused += "." + part(hmac.new(keys.public_pem, confused.encode(), hashlib.sha256).digest())
    foreign = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    good = [("a user's ID token", real), ("one with another published key", own())]
    bad = [
        ("unsigned", f"{part({'alg': 'none', 'typ': 'JWT', 'kid': 'own'})}.{payload}."),
        ("unsigned with a signature", f"{part({'alg': 'none', 'typ': 'JWT', 'kid': 'own'})}.{payload}.{signature}"),
        ("the public key as a secret", confused),
        ("RS512", own(algorithm="RS512")),
        ("PS256", own(algorithm="PS256")),
        ("another's signature", own(key=foreign)),
        ("a changed signature", f"{header}.{payload}.{signature[:-8]}AAAAAAAA"),
        ("changed claims", f"{header}.{part(claims | {'sub': 'admin'})}.{signature}"),
        ("an unknown key id", own(extra={"kid": "unknown"})),
        ("no key id", with_header({"alg": "RS256", "typ": "JWT"})),
        ("a key in the header", own(key=foreign, extra={"kid": "x", "jwk": json.loads(keys.document)["keys"][-1]})),
        ("a key's address in the header", own(key=foreign, extra={"kid": "x", "jku": "https://evil.example/jwks"})),
        ("an extension that must be understood", own(extra={"crit": ["exp"], "exp": now + 60})),
        ("another type of token", own(extra={"typ": "at+jwt"})),
        ("expired", own({"iat": now - 7200, "exp": now - 3600, "auth_time": now - 7200})),
        ("from the future", own({"iat": now + 3600, "exp": now + 7200})),
        ("a sign-in of the future", own({"auth_time": now + 3600})),
        ("another issuer", own({"iss": "https://securetoken.google.com/other"})),
        ("another audience", own({"aud": "other"})),
        ("several audiences", own({"aud": [PROJECT, "other"]})),
        ("no subject", own(without=("sub",))),
        ("an empty subject", own({"sub": ""})),
        ("a long subject", own({"sub": "x" * 129})),
        ("no expiry", own(without=("exp",))),
        ("no issue time", own(without=("iat",))),
        ("no time of sign-in", own(without=("auth_time",))),
        ("a tenant's user", own({"firebase": claims["firebase"] | {"tenant": "acme"}})),
        ("a session cookie", cookie["sessionCookie"]),
        ("a session cookie's issuer", own({"iss": f"https://session.firebase.google.com/{PROJECT}"})),
        ("a refresh token", session["refreshToken"]),
        ("nothing", ""),
        ("no token", "x"),
        ("cut", real[:-1]),
        ("two parts", f"{header}.{payload}"),
        ("four parts", real + ".x"),
        ("a long token", own({"x": "x" * 100_000})),
        ("no object", f"{header}.{part([1])}.{signature}"),
    ]
    return [(*row, True) for row in good] + [(*row, False) for row in bad]


def verifiers(keys_url):
    """The commands, with what each needs built before."""
    arguments = [ISSUER, PROJECT, keys_url]
    build = SCRATCH / "verify"
    build.mkdir(exist_ok=True)
    environment = os.environ | {
        "GOCACHE": str(SCRATCH / "go-build"), "GOPATH": str(SCRATCH / "go"), "GOFLAGS": "-mod=mod", "GOPROXY": "off",
        "GOTOOLCHAIN": "local", "CGO_ENABLED": "0",
    }
    subprocess.run(["go", "build", "-o", build / "go", "."], cwd=HERE / "go", env=environment, check=True)
    path = ":".join(JACKSON)
    subprocess.run(["javac", "-Xlint:all", "-Werror", "-cp", path, "-d", build / "java", HERE / "java/Verifier.java"], check=True)
    return {
        "python": [sys.executable, "-B", HERE / "python/verify.py", *arguments],
        "node": ["node", HERE / "node/verify.mjs", *arguments],
        "go": [build / "go", *arguments],
        "swift": [os.environ["POSTERN_TEST_SWIFT_VERIFIER"], *arguments],
        "java": ["java", "-cp", f"{path}:{build / 'java'}", "Verifier", *arguments],
    }


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def by_nginx(table, keys_url):
    """What is wrong behind nginx, whose configuration asks a verifier before each request."""
    place = SCRATCH / "nginx"
    place.mkdir(exist_ok=True)
    front, back, authorize = free_port(), free_port(), free_port()

    class App(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(f"ok {self.headers.get('X-User')}".encode())

        def log_message(self, *_):
            pass

    app = http.server.ThreadingHTTPServer(("127.0.0.1", back), App)
    threading.Thread(target=app.serve_forever, daemon=True).start()
    site = (HERE / "nginx/site.conf").read_text()
    for written, port in (("8080", front), ("8081", back), ("8082", authorize)):
        site = site.replace(f"127.0.0.1:{written}", f"127.0.0.1:{port}")
    temporary = "".join(f"{kind}_temp_path {place}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    # The long tokens of the table are for the verifier to refuse.
    http_block = f"http {{ access_log off; large_client_header_buffers 4 256k; {temporary} {site} }}"
    configuration = f"daemon off; pid {place}/pid; error_log {place}/error.log; events {{}} {http_block}"
    (place / "nginx.conf").write_text(configuration)
    nginx = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    arguments = [ISSUER, PROJECT, keys_url, str(authorize)]
    node = ["node", "--max-http-header-size=262144", HERE / "nginx/authorize.mjs", *arguments]
    processes = [subprocess.Popen(node), subprocess.Popen([nginx, "-p", place, "-c", place / "nginx.conf"])]
    try:
        for port in (front, authorize):
            wait_for(port, processes)
        wrong = []
        for what, token, is_good in [*table, ("no credential", None, False)]:
            headers = {"X-User": "admin"} | ({} if token is None else {"Authorization": f"Bearer {token}"})
            request = urllib.request.Request(f"http://127.0.0.1:{front}/", headers=headers)
            try:
                with urllib.request.urlopen(request, timeout=10) as answer:
                    status, text = answer.status, answer.read().decode()
            except urllib.error.HTTPError as error:
                status, text = error.code, ""
            if (status, text.startswith("ok ") and text != "ok admin") != ((200, True) if is_good else (401, False)):
                wrong.append((what, status, text))
        return wrong
    finally:
        for process in processes:
            process.terminate()
            process.wait()
        app.shutdown()


def by_envoy(table, keys_url):
    """What is wrong behind Envoy: with the keys of the table, and with the server's own over TLS as the snippet has it."""
    wrong = []
    own = URL + call("GET", "/.well-known/openid-configuration")["jwks_uri"].removeprefix(URL)
    hostile = {"no credential", "unsigned", "a changed signature", "changed claims"}
    known = [row for row in table if row[0] == "a user's ID token" or row[0] in hostile]
    for name, rows, keys in (("envoy", table, keys_url), ("envoy-tls", known, own)):
        ports = (free_port(), free_port())
        values = {"project": PROJECT, "issuer": ISSUER, "keys_url": keys, "authority": os.environ["POSTERN_TEST_CA"]}
        with run_envoy.running(SCRATCH / name, ports, wait_for, **values):
            wrong += [(name, *difference) for difference in run_envoy.differences(rows, ports[0])]
    return wrong


def wait_for(port, processes):
    for _ in range(600):
        if any(process.poll() is not None for process in processes):
            sys.exit("FAILED: a proxy or what it needs did not start")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit("FAILED: a proxy does not listen")


def documents():
    """What is wrong with the page and with the configurations of programs that are not run here."""
    page = (HERE.parent.parent / "Docs/VerifyingTokens.md").read_text()
    files = [path for path in sorted(HERE.glob("*/*")) if path.name != "go.mod"]
    wrong = [("not linked on the page", path.name) for path in files if f"../Examples/verify/{path.relative_to(HERE)}" not in page]
    # What the page shows is a piece of a file that is run.
    texts = [path.read_text() for path in files]
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        pieces = (textwrap.indent(block, space) for space in ("", "  ", "    ", "\t"))
        if language != "sh" and not any(piece in text for piece in pieces for text in texts):
            wrong.append(("shown on the page, but in no file", language, block.splitlines()[0]))
    discovery = call("GET", "/.well-known/openid-configuration")
    keys_path = discovery["jwks_uri"].removeprefix(URL)
    envoy = (HERE / "envoy/envoy.yaml").read_text()
    for text in (f"https://auth.example.com{keys_path}", discovery["issuer"].replace(PROJECT, "my-project")):
        if text not in envoy:
            wrong.append(("not in envoy.yaml", text))
    if keys_path not in (HERE / "postgrest/postgrest.conf").read_text():
        wrong.append(("not in postgrest.conf", keys_path))
    return wrong


def main():
    keys = Keys()
    table = tokens(keys)
    text = "".join(f"{token}\n" for _, token, _ in table)
    failed = 0
    keys_url = keys.serve()
    for name, command in verifiers(keys_url).items():
        keys.fetches = 0
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=120)
        answers = done.stdout.splitlines()
        if done.returncode or len(answers) != len(table):
            print(f"FAILED {name}: code {done.returncode}, {len(answers)} answers for {len(table)} tokens\n{done.stderr}")
            failed += 1
            continue
        wrong = [(what, answer) for (what, _, is_good), answer in zip(table, answers) if answer.startswith("ok ") != is_good]
        # Key ids that do not exist must not make it fetch again and again.
        if keys.fetches != 1:
            wrong.append(("fetches of the keys", keys.fetches))
        failed += bool(wrong)
        print(f"FAILED {name}: {wrong}" if wrong else f"ok {name}: {len(table)} tokens")
    for name, wrong in (("nginx", by_nginx(table, keys_url)), ("envoy", by_envoy(table, keys_url)), ("documents", documents())):
        failed += bool(wrong)
        print(f"FAILED {name}: {wrong}" if wrong else f"ok {name}")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
