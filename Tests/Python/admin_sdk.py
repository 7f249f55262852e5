"""A Postern server as the official Admin SDK for Python sees it. Tests/PosternTests/Process/AdminSDKTests.swift starts both.

There are three ways in, told apart by SDK_TEST_WAY:

key          production; the SDK as it runs in production, with a key file of `postern service-account create` as it was written. The
             SDK has Google's addresses compiled in, so they are replaced here, and nothing else: requests go to Postern, signatures are
             checked by the SDK against the certificates that Postern publishes.
private      production; FIREBASE_AUTH_EMULATOR_HOST names the private listener. The SDK checks no signatures then.
development  FIREBASE_AUTH_EMULATOR_HOST names a development server, which stands in for the Auth emulator.

The SDK's management of tenants knows no emulator and takes the app's own credential everywhere, so its address is always replaced.
"""

import os
import secrets
import unittest

import firebase_admin
import requests
from firebase_admin import _auth_providers, _token_gen, _user_mgt, credentials, tenant_mgt

WAY = os.environ["SDK_TEST_WAY"]
URL = os.environ["SDK_TEST_URL"]
ISSUER = os.environ["SDK_TEST_ISSUER"]
PROJECT = "shop"
API_KEY = "k"
IS_SIGNED = WAY != "development"
# Whether the SDK itself checks signatures.
VERIFIES = WAY == "key"


def _point_at_postern():
    toolkit = URL + "/identitytoolkit.googleapis.com"
    tenant_mgt._TenantManagementService.TENANT_MGT_URL = toolkit + "/v2"
    if WAY != "key":
        os.environ["FIREBASE_AUTH_EMULATOR_HOST"] = os.environ["SDK_TEST_EMULATOR_HOST"]
        return
    _user_mgt.UserManager.ID_TOOLKIT_URL = toolkit + "/v1"
    _token_gen.TokenGenerator.ID_TOOLKIT_URL = toolkit + "/v1"
    _auth_providers.ProviderConfigClient.PROVIDER_CONFIG_URL = toolkit + "/v2"
    keys = URL + "/www.googleapis.com"
    _token_gen.ID_TOKEN_CERT_URI = keys + "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
    _token_gen.COOKIE_CERT_URI = keys + "/identitytoolkit/v3/relyingparty/publicKeys"


_point_at_postern()
firebase_admin.initialize_app(
    credentials.Certificate(os.environ["SDK_TEST_KEY_FILE"]), {"projectId": PROJECT}
)


def unique(prefix="user"):
    """A name that no other test has."""
    return f"{prefix}-{secrets.token_hex(6)}"


def unique_number():
    """A phone number that no other test has, from the range for fictional use."""
    return f"+1{secrets.choice('23456789')}{secrets.randbelow(10)}{secrets.randbelow(10)}55501{secrets.randbelow(100):02}"


class Refused(Exception):
    """The `error.message` that an app gets."""


def client(method, body, version="v1"):
    """A call of an app, which has only the API key."""
    answer = requests.post(f"{URL}/{version}/{method}?key={API_KEY}", json=body, timeout=600)
    document = answer.json()
    if answer.status_code != 200:
        raise Refused(document["error"]["message"])
    return document


def sign_in(email, password, tenant_id=None):
    """Signs in with a password."""
    body = {"email": email, "password": password, "returnSecureToken": True}
    return client("accounts:signInWithPassword", body | ({"tenantId": tenant_id} if tenant_id else {}))


def refresh(session):
    """New tokens for a session."""
    answer = requests.post(
        f"{URL}/v1/token?key={API_KEY}",
        data={"grant_type": "refresh_token", "refresh_token": session["refreshToken"]},
        timeout=600,
    )
    document = answer.json()
    if answer.status_code != 200:
        raise Refused(document["error"]["message"])
    return document


class AdminSDKTestCase(unittest.TestCase):
    """A test whose failures show everything that differs."""

    maxDiff = None

    def assert_refused(self, code, function, *arguments):
        """Asserts that an app is refused with a code, with any text after it."""
        with self.assertRaises(Refused) as caught:
            function(*arguments)
        self.assertEqual(str(caught.exception).split(" : ")[0], code)
