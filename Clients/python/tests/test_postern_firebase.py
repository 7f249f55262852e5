"""The package with the real Admin SDK against a running server, see ../test."""

import base64
import json
import os
import subprocess
import sys
import time
import unittest
import uuid

import firebase_admin
import postern_firebase
import requests
from firebase_admin import auth, tenant_mgt

URL = os.environ["POSTERN_TEST_URL"]
KEY_FILE = os.environ["POSTERN_TEST_KEY_FILE"]
PROJECT = os.environ["POSTERN_TEST_PROJECT_ID"]
API_KEY = os.environ["POSTERN_TEST_API_KEY"]


def sign_in(custom_token):
    """What an app does with a custom token."""
    body = {"token": custom_token, "returnSecureToken": True}
    answer = requests.post(f"{URL}/v1/accounts:signInWithCustomToken?key={API_KEY}", json=body, timeout=60)
    answer.raise_for_status()
    return answer.json()["idToken"]


def in_fresh_process(code, **variables):
    """Runs code where the SDK is untouched, and returns its exit code and all that it printed."""
    environment = {**os.environ, **variables}
    done = subprocess.run([sys.executable, "-B", "-c", code], env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class AdminSDK(unittest.TestCase):
    """The SDK after `use`."""

    @classmethod
    def setUpClass(cls):
        firebase_admin.initialize_app(postern_firebase.use(URL, KEY_FILE))

    def setUp(self):
        self.uid = f"user-{uuid.uuid4().hex}"

    def test_users_are_managed_on_the_server(self):
        made = auth.create_user(uid=self.uid, email=f"{self.uid}@example.com", password="secret-1")
        self.assertEqual(auth.get_user_by_email(made.email).uid, self.uid)
        auth.set_custom_user_claims(self.uid, {"role": "clerk"})
        self.assertEqual(auth.get_user(self.uid).custom_claims, {"role": "clerk"})
        self.assertIn(self.uid, [user.uid for user in auth.list_users().iterate_all()])
        auth.delete_user(self.uid)
        with self.assertRaises(auth.UserNotFoundError):
            auth.get_user(self.uid)

    def test_custom_tokens_sign_in_and_id_tokens_are_verified_by_the_published_keys(self):
        token = sign_in(auth.create_custom_token(self.uid, {"level": 3}).decode())
        claims = auth.verify_id_token(token, check_revoked=True)
        self.assertEqual((claims["uid"], claims["aud"], claims["level"]), (self.uid, PROJECT, 3))

    def test_forged_and_revoked_id_tokens_are_refused(self):
        token = sign_in(auth.create_custom_token(self.uid).decode())
        header, payload, signature = token.split(".")
        unsigned = base64.urlsafe_b64encode(json.dumps({"alg": "none", "typ": "JWT"}).encode()).decode().rstrip("=")
        for forged in (f"{unsigned}.{payload}.", f"{header}.{payload}.{signature[:-8]}AAAAAAAA", "x"):
            with self.assertRaises(auth.InvalidIdTokenError):
                auth.verify_id_token(forged)
        time.sleep(1.1)
        auth.revoke_refresh_tokens(self.uid)
        with self.assertRaises(auth.RevokedIdTokenError):
            auth.verify_id_token(token, check_revoked=True)

    def test_session_cookies_are_made_and_verified(self):
        token = sign_in(auth.create_custom_token(self.uid).decode())
        cookie = auth.create_session_cookie(token, expires_in=600)
        self.assertEqual(auth.verify_session_cookie(cookie)["uid"], self.uid)
        with self.assertRaises(auth.InvalidIdTokenError):
            auth.verify_id_token(cookie)

    def test_links_tenants_and_providers_are_those_of_the_server(self):
        auth.create_user(uid=self.uid, email=f"{self.uid}@example.com")
        self.assertTrue(auth.generate_email_verification_link(f"{self.uid}@example.com").startswith(URL + "/"))
        tenant = tenant_mgt.create_tenant("acme", allow_password_sign_up=True)
        self.addCleanup(tenant_mgt.delete_tenant, tenant.tenant_id)
        client = tenant_mgt.auth_for_tenant(tenant.tenant_id)
        client.create_user(uid=self.uid, email="ada@example.com")
        self.assertEqual(client.get_user(self.uid).tenant_id, tenant.tenant_id)
        with self.assertRaises(auth.ConfigurationNotFoundError):
            auth.get_oidc_provider_config("oidc.none")

    def test_it_may_be_called_again_for_the_same_server_and_no_other(self):
        self.assertIsNotNone(postern_firebase.use(URL + "/", KEY_FILE))
        with self.assertRaises(postern_firebase.ConfigurationError):
            postern_firebase.use("https://other.example.com", token="t")


class KeylessSigning(unittest.TestCase):
    """A process without a key file: the server signs custom tokens."""

    def test_custom_tokens_are_signed_by_a_held_service_account(self):
        account, token = os.environ["POSTERN_TEST_HELD_ACCOUNT"], os.environ["POSTERN_TEST_ADMIN_TOKEN"]
        code = (
            "import os, firebase_admin, postern_firebase\n"
            "from firebase_admin import auth\n"
            "credential = postern_firebase.use(os.environ['POSTERN_TEST_URL'], token=os.environ['POSTERN_TEST_ADMIN_TOKEN'])\n"
            "options = {'projectId': os.environ['POSTERN_TEST_PROJECT_ID'], 'serviceAccountId': os.environ['ACCOUNT']}\n"
            "firebase_admin.initialize_app(credential, options)\n"
            "print(auth.create_custom_token('ada').decode())\n"
        )
        status, printed = in_fresh_process(code, ACCOUNT=account, POSTERN_TEST_ADMIN_TOKEN=token)
        self.assertEqual(status, 0, printed)
        self.assertTrue(sign_in(printed.strip()))


class Refusals(unittest.TestCase):
    """What `use` refuses before it changes anything."""

    def refused(self, call, **variables):
        code = f"import firebase_admin, os, postern_firebase\ntry:\n    {call}\n"
        code += "except postern_firebase.ConfigurationError as error:\n    print('refused', error)\n"
        code += "from firebase_admin import _token_gen\nprint(_token_gen.COOKIE_CERT_URI)"
        status, printed = in_fresh_process(code, **variables)
        self.assertEqual(status, 0, printed)
        self.assertIn("refused", printed, call)
        self.assertIn("https://www.googleapis.com/", printed)
        return printed

    def test_urls_that_are_no_server_or_unsafe(self):
        bad = ["http://auth.example.com", "auth.example.com", "https://", "https://a.example/path", "https://u@a.example", "", "ftp://a"]
        bad += ["https://a.example?x", "https://a.example:port", "https://a.example\\n", "http://localhost.example.com", "https://[::1"]
        code = "import sys, postern_firebase\nfor url in sys.stdin.read().split('|'):\n    try:\n"
        code += "        print('taken', postern_firebase.use(url, token='t'))\n"
        code += "    except postern_firebase.ConfigurationError:\n        print('refused')"
        done = subprocess.run([sys.executable, "-B", "-c", code], input="|".join(bad), capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.split(), ["refused"] * len(bad))

    def test_an_emulator_in_the_environment(self):
        printed = self.refused("postern_firebase.use('https://a.example', token='t')", FIREBASE_AUTH_EMULATOR_HOST="127.0.0.1:9099")
        self.assertIn("verify no signature", printed)

    def test_key_files_that_are_missing_foreign_or_broken_without_quoting_them(self):
        scratch = os.environ["POSTERN_TEST_SCRATCH"]
        broken = os.path.join(scratch, "broken.json")
        with open(broken, "w", encoding="utf-8") as file:
            json.dump({"type": "service_account", "token_uri": URL + "/oauth2/token", "private_key": "SECRET"}, file)
        for url, path in [(URL, "/nonexistent"), (URL, broken), (URL, __file__), ("https://a.example", KEY_FILE)]:
            self.assertNotIn("SECRET", self.refused(f"postern_firebase.use({url!r}, {path!r})"))
        self.refused(f"postern_firebase.use({URL!r})")
        self.refused(f"postern_firebase.use({URL!r}, {KEY_FILE!r}, token='t')")

    def test_an_app_that_is_there_already_and_an_sdk_that_keeps_its_addresses_elsewhere(self):
        app = "from firebase_admin import credentials; firebase_admin.initialize_app(credentials.Certificate(os.environ['K']))"
        self.refused(f"{app}; postern_firebase.use({URL!r}, {KEY_FILE!r})", K=KEY_FILE)
        moved = "from firebase_admin import _user_mgt; _user_mgt.UserManager.ID_TOOLKIT_URL = 'https://new.googleapis.com/v1'"
        self.refused(f"{moved}; postern_firebase.use({URL!r}, {KEY_FILE!r})")

    def test_the_sdk_refuses_a_server_whose_authority_it_does_not_know(self):
        code = (
            "import os, firebase_admin, postern_firebase\n"
            "from firebase_admin import auth\n"
            "url, key = os.environ['POSTERN_TEST_URL'], os.environ['POSTERN_TEST_KEY_FILE']\n"
            "firebase_admin.initialize_app(postern_firebase.use(url, key))\n"
            "auth.get_user('ada')\n"
        )
        status, printed = in_fresh_process(code, REQUESTS_CA_BUNDLE="")
        self.assertNotEqual(status, 0)
        self.assertIn("CERTIFICATE_VERIFY_FAILED", printed)


if __name__ == "__main__":
    unittest.main()
