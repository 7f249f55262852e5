"""Verifies Postern's ID tokens with PyJWT."""

import json
import sys
import time
import urllib.request

import jwt


class Verifier:
    """Knows the keys of one issuer."""

    def __init__(self, issuer, audience, jwks_url):
        self.issuer, self.audience, self.jwks_url = issuer, audience, jwks_url
        self.keys, self.fetched = {}, float("-inf")

    def key(self, kid):
        # A fetch a minute at most: anybody can send a key id that does not exist.
        age = time.monotonic() - self.fetched
        if age > 3600 or kid not in self.keys and age > 60:
            self.fetched = time.monotonic()
            with urllib.request.urlopen(self.jwks_url, timeout=5) as answer:
                found = jwt.PyJWKSet.from_dict(json.load(answer)).keys
            self.keys = {key.key_id: key for key in found}
        return self.keys[kid]

    def verify(self, token):
        """Returns the claims. Raises an exception for a token that is not a user's ID token of this project."""
        if len(token) > 16384:
            raise jwt.InvalidTokenError("too long")
        header = jwt.get_unverified_header(token)
        if "crit" in header or header.get("typ", "JWT") != "JWT":
            raise jwt.InvalidTokenError("not a plain JWT")
        claims = jwt.decode(
            token,
            self.key(header["kid"]),
            algorithms=["RS256"],
            issuer=self.issuer,
            audience=self.audience,
            options={"require": ["iss", "aud", "sub", "iat", "exp", "auth_time"], "strict_aud": True},
        )
        if not 0 < len(claims["sub"]) <= 128 or claims["auth_time"] > time.time():
            raise jwt.InvalidTokenError("no user")
        # A project without tenants refuses those of a tenant; one with tenants compares the tenant's id.
        if "tenant" in claims["firebase"]:
            raise jwt.InvalidTokenError("a tenant's user")
        return claims


if __name__ == "__main__":
    verifier = Verifier(*sys.argv[1:4])
    for line in sys.stdin:
        try:
            print("ok", verifier.verify(line.rstrip("\n"))["sub"], flush=True)
        except Exception as error:
            print("refused", type(error).__name__, flush=True)
