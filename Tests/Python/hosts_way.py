"""The official Admin SDK as it is, with a key file as it was written, where Google's host names lead to Postern.

The names are led there below the SDK, where a hosts file or a DNS view would do it: urllib3 connects to another address, and nothing else
changes. TLS is checked for Google's names by the authority in REQUESTS_CA_BUNDLE. Tests/PosternTests/Process/AdminSDKTests.swift runs it.
"""

import base64
import json
import os
import unittest
from urllib.parse import urlsplit

import firebase_admin
import requests
import urllib3.util.connection
from firebase_admin import auth, credentials
from google.oauth2.credentials import Credentials

SERVER = urlsplit(os.environ["POSTERN_TEST_URL"])
PROJECT = os.environ["POSTERN_TEST_PROJECT_ID"]
HOSTS = {f"{name}.googleapis.com" for name in ("identitytoolkit", "securetoken", "www", "oauth2", "iamcredentials")}
HOSTS |= {"securetoken.google.com", "accounts.google.com"}
SIGN_IN = "https://identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken"
asked = set()
connect = urllib3.util.connection.create_connection


def create_connection(address, *arguments, **options):
    host, port = address
    if host in HOSTS:
        asked.add(host)
        host, port = "127.0.0.1", SERVER.port
    elif host != SERVER.hostname:
        raise OSError(f"nothing may be asked of {host}")
    return connect((host, port), *arguments, **options)


urllib3.util.connection.create_connection = create_connection


class NamedToken(credentials.Base):
    """A credential without a key."""

    def get_credential(self):
        return Credentials(os.environ["POSTERN_TEST_ADMIN_TOKEN"])


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def signed_in(custom):
    """The ID token of a custom token."""
    body = {"token": custom.decode(), "returnSecureToken": True}
    answer = requests.post(SIGN_IN, params={"key": os.environ["POSTERN_TEST_API_KEY"]}, json=body, timeout=30)
    answer.raise_for_status()
    return answer.json()["idToken"]


class HostsWay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.app = firebase_admin.initialize_app(credentials.Certificate(os.environ["POSTERN_TEST_KEY_FILE"]))

    def test_users(self):
        user = auth.create_user(email="ada@example.com", password="correct horse")
        auth.set_custom_user_claims(user.uid, {"role": "clerk"})
        self.assertEqual(auth.get_user_by_email("ada@example.com").custom_claims, {"role": "clerk"})
        self.assertIn(user.uid, [found.uid for found in auth.list_users().iterate_all()])
        auth.delete_user(user.uid)
        with self.assertRaises(auth.UserNotFoundError):
            auth.get_user(user.uid)
        self.assertIn("identitytoolkit.googleapis.com", asked)

    def test_tokens(self):
        token = signed_in(auth.create_custom_token("user-1", {"plan": "gold"}))
        claims = auth.verify_id_token(token, check_revoked=True)
        self.assertEqual((claims["uid"], claims["plan"]), ("user-1", "gold"))
        self.assertIn("www.googleapis.com", asked)
        header, payload, signature = token.split(".")
        forged = [
            f"{part({'alg': 'none', 'typ': 'JWT'})}.{payload}.",
            f"{part({'alg': 'none', 'typ': 'JWT'})}.{payload}.{signature}",
            f"{header}.{part({**claims, 'sub': 'admin'})}.{signature}",
            f"{header}.{payload}.{signature[:-8]}AAAAAAAA",
        ]
        for bad in forged:
            with self.assertRaises(auth.InvalidIdTokenError):
                auth.verify_id_token(bad)

    def test_session_cookies(self):
        token = signed_in(auth.create_custom_token("user-2"))
        cookie = auth.create_session_cookie(token, expires_in=3600)
        self.assertEqual(auth.verify_session_cookie(cookie, check_revoked=True)["uid"], "user-2")
        for bad in (token, cookie[:-8] + "AAAAAAAA"):
            with self.assertRaises(auth.InvalidSessionCookieError):
                auth.verify_session_cookie(bad)

    def test_signatures_without_a_key_file(self):
        options = {"projectId": PROJECT, "serviceAccountId": os.environ["POSTERN_TEST_HELD_ACCOUNT"]}
        app = firebase_admin.initialize_app(NamedToken(), options, name="keyless")
        token = signed_in(auth.create_custom_token("user-3", app=app))
        self.assertEqual(auth.verify_id_token(token, app)["uid"], "user-3")
        self.assertIn("iamcredentials.googleapis.com", asked)

    def test_discovery_below_the_issuer(self):
        issuer = f"https://securetoken.google.com/{PROJECT}"
        document = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=30).json()
        self.assertEqual(document["issuer"], issuer)
        for place in ("robot/v1/metadata/jwk", "service_accounts/v1/jwk"):
            url = f"https://www.googleapis.com/{place}/securetoken@system.gserviceaccount.com"
            keys = requests.get(url, timeout=30).json()["keys"]
            self.assertEqual(keys, requests.get(document["jwks_uri"], timeout=30).json()["keys"])

    def test_the_token_endpoint_of_old_key_files(self):
        with open(os.environ["POSTERN_TEST_KEY_FILE"], encoding="utf-8") as file:
            key = {**json.load(file), "token_uri": "https://accounts.google.com/o/oauth2/token"}
        self.assertTrue(credentials.Certificate(key).get_access_token().access_token)
        self.assertIn("accounts.google.com", asked)

    def test_an_authority_that_nobody_trusts(self):
        with self.assertRaises(requests.exceptions.SSLError):
            requests.get("https://www.googleapis.com/", verify="/etc/ssl/certs/ca-certificates.crt", timeout=30)


if __name__ == "__main__":
    unittest.main()
