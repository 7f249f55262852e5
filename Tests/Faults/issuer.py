"""An identity provider: discovery, keys, and ID tokens that are really signed."""

import base64
import http.server
import json
import threading
import time

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

CLIENT_ID = "faults.apps.example.com"


def part(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Issuer:
    """Signs with one RSA key for as long as the program runs."""

    def __init__(self):
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        numbers = self.key.public_key().public_numbers()
        jwk = {
            "kty": "RSA", "alg": "RS256", "use": "sig", "kid": "one",
            "n": part(numbers.n.to_bytes(256, "big")), "e": part(numbers.e.to_bytes(3, "big")),
        }
        issuer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                documents = {
                    "/.well-known/openid-configuration": {
                        "issuer": issuer.url, "jwks_uri": issuer.url + "/keys", "response_types_supported": ["id_token"],
                        "authorization_endpoint": issuer.url + "/authorize", "token_endpoint": issuer.url + "/token",
                        "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
                    },
                    "/keys": {"keys": [jwk]},
                }
                body = json.dumps(documents.get(self.path, {})).encode()
                self.send_response(200 if self.path in documents else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                """A node that is killed leaves its connection."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def token(self, email):
        """An ID token of a user whose address the provider has proven."""
        # The clocks of nodes are moved by seconds.
        now = int(time.time()) - 10
        claims = {
            "iss": self.url, "aud": CLIENT_ID, "sub": "subject-" + email, "email": email, "email_verified": True,
            "iat": now, "exp": now + 3600,
        }
        text = ".".join(part(json.dumps(value).encode()) for value in ({"alg": "RS256", "kid": "one", "typ": "JWT"}, claims))
        return text + "." + part(self.key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256()))
