"""Tokens: claims, revocation, session cookies, custom tokens, and the keys that are published."""

import base64
import datetime
import json
import os
import time
import unittest

import requests
from firebase_admin import auth
from google.auth import jwt
from google.auth.transport.requests import AuthorizedSession, Request
from google.oauth2 import service_account

import admin_sdk
from admin_sdk import AdminSDKTestCase, client, refresh, sign_in, unique


def parts(token):
    """Header, claims and signature, unverified."""
    segments = token.split(".")
    head, body = (json.loads(base64.urlsafe_b64decode(segment + "==")) for segment in segments[:2])
    return head, body, segments[2]


class TokenTests(AdminSDKTestCase):
    def setUp(self):
        self.email = f"{unique()}@example.com"
        self.uid = auth.create_user(email=self.email, password="secret-1").uid
        self.addCleanup(lambda: auth.delete_users([self.uid]))

    def next_second(self):
        """Times on the wire are whole seconds, and a token of the second of its revocation is still valid."""
        now = int(time.time())
        while int(time.time()) == now:
            time.sleep(0.02)

    def test_tokens_are_verified(self):
        token = sign_in(self.email, "secret-1")["idToken"]
        claims = auth.verify_id_token(token)
        self.assertEqual(claims["uid"], self.uid)
        self.assertEqual(claims["aud"], admin_sdk.PROJECT)
        self.assertEqual(claims["iss"], f"https://securetoken.google.com/{admin_sdk.PROJECT}")
        # Only a server that checks its tokens names the session in them.
        self.assertEqual(bool(claims["firebase"].pop("session", None)), admin_sdk.IS_SIGNED)
        self.assertEqual(claims["firebase"], {"identities": {"email": [self.email]}, "sign_in_provider": "password"})
        self.assertEqual(claims["exp"] - claims["iat"], 3600)
        self.assertEqual(auth.verify_id_token(token, check_revoked=True)["uid"], self.uid)

    @unittest.skipUnless(admin_sdk.VERIFIES, "the SDK checks no signatures in emulator mode")
    def test_forged_tokens_are_refused(self):
        token = sign_in(self.email, "secret-1")["idToken"]
        head, body, signature = token.split(".")
        claims = parts(token)[1] | {"sub": "somebody-else"}
        forged = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
        for wrong in (f"{head}.{forged}.{signature}", f"{head}.{body}.{signature[:-8]}AAAAAAAA"):
            with self.assertRaises(auth.InvalidIdTokenError):
                auth.verify_id_token(wrong)
        # A cookie is not an ID token, and an ID token is not a cookie.
        cookie = auth.create_session_cookie(token, datetime.timedelta(hours=1))
        with self.assertRaises(auth.InvalidIdTokenError):
            auth.verify_id_token(cookie)
        with self.assertRaises(auth.InvalidSessionCookieError):
            auth.verify_session_cookie(token)
        with self.assertRaises(auth.InvalidIdTokenError):
            auth.verify_id_token(auth.create_custom_token(self.uid))

    @unittest.skipUnless(admin_sdk.IS_SIGNED, "development tokens are unsigned, as the emulator's are")
    def test_published_keys_verify_tokens(self):
        token = sign_in(self.email, "secret-1")["idToken"]
        cookie = auth.create_session_cookie(token, datetime.timedelta(hours=1))
        for path, signed in (
            ("/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", token),
            ("/identitytoolkit/v3/relyingparty/publicKeys", cookie),
            ("/v1/publicKeys", cookie),
        ):
            answer = requests.get(f"{admin_sdk.URL}{path}?key={admin_sdk.API_KEY}", timeout=600)
            self.assertIn("max-age=", answer.headers["Cache-Control"])
            head = parts(signed)[0]
            self.assertEqual((head["alg"], head["typ"]), ("RS256", "JWT"))
            self.assertIn(head["kid"], answer.json())
            claims = jwt.decode(signed, certs=answer.json(), audience=admin_sdk.PROJECT)
            self.assertEqual(claims["sub"], self.uid)

    @unittest.skipIf(admin_sdk.IS_SIGNED, "production tokens are signed")
    def test_development_tokens_are_unsigned(self):
        token = sign_in(self.email, "secret-1")["idToken"]
        for unsigned in (token, auth.create_session_cookie(token, datetime.timedelta(hours=1))):
            head, _, signature = parts(unsigned)
            self.assertEqual(head, {"alg": "none", "typ": "JWT"})
            self.assertEqual(signature, "")

    def test_custom_claims_are_in_the_next_token(self):
        session = sign_in(self.email, "secret-1")
        claims = {"admin": True, "level": 7, "teams": ["a", "b"]}
        auth.set_custom_user_claims(self.uid, claims)
        self.assertEqual(auth.get_user(self.uid).custom_claims, claims)
        self.assertNotIn("admin", auth.verify_id_token(session["idToken"]))
        for token in (refresh(session)["id_token"], sign_in(self.email, "secret-1")["idToken"]):
            verified = auth.verify_id_token(token)
            self.assertEqual({name: verified[name] for name in claims}, claims)
        auth.set_custom_user_claims(self.uid, None)
        self.assertFalse(auth.get_user(self.uid).custom_claims)
        self.assertNotIn("admin", auth.verify_id_token(refresh(session)["id_token"]))

    def test_revoked_tokens_are_told_apart(self):
        session = sign_in(self.email, "secret-1")
        cookie = auth.create_session_cookie(session["idToken"], datetime.timedelta(hours=1))
        self.next_second()
        auth.revoke_refresh_tokens(self.uid)
        after = auth.get_user(self.uid).tokens_valid_after_timestamp
        self.assertLess(abs(after / 1000 - time.time()), 60)
        self.assertEqual(auth.verify_id_token(session["idToken"])["uid"], self.uid)
        with self.assertRaises(auth.RevokedIdTokenError):
            auth.verify_id_token(session["idToken"], check_revoked=True)
        self.assertEqual(auth.verify_session_cookie(cookie)["uid"], self.uid)
        with self.assertRaises(auth.RevokedSessionCookieError):
            auth.verify_session_cookie(cookie, check_revoked=True)
        if admin_sdk.IS_SIGNED:
            self.assert_refused("TOKEN_EXPIRED", refresh, session)
        fresh = sign_in(self.email, "secret-1")
        self.assertEqual(auth.verify_id_token(fresh["idToken"], check_revoked=True)["uid"], self.uid)

    def test_tokens_of_a_disabled_user_are_told_apart(self):
        token = sign_in(self.email, "secret-1")["idToken"]
        auth.update_user(self.uid, disabled=True)
        with self.assertRaises(auth.UserDisabledError):
            auth.verify_id_token(token, check_revoked=True)

    def test_session_cookies(self):
        auth.set_custom_user_claims(self.uid, {"admin": True})
        token = sign_in(self.email, "secret-1")["idToken"]
        cookie = auth.create_session_cookie(token, datetime.timedelta(days=14))
        claims = auth.verify_session_cookie(cookie, check_revoked=True)
        self.assertEqual(claims["uid"], self.uid)
        self.assertEqual(claims["iss"], f"https://session.firebase.google.com/{admin_sdk.PROJECT}")
        self.assertEqual(claims["exp"] - claims["iat"], 14 * 86_400)
        self.assertIs(claims["admin"], True)
        of_token = auth.verify_id_token(token)
        for name in ("aud", "sub", "auth_time", "firebase", "email"):
            self.assertEqual(claims[name], of_token[name])
        with self.assertRaises(auth.InvalidIdTokenError):
            auth.create_session_cookie("no.token.here", datetime.timedelta(hours=1))

    def test_custom_tokens_sign_in(self):
        uid = unique("custom")
        self.addCleanup(lambda: auth.delete_users([uid]))
        token = auth.create_custom_token(uid, {"premium": True}).decode()
        if admin_sdk.WAY == "private":
            # In emulator mode the SDK signs nothing, and production refuses unsigned tokens.
            self.assert_refused("INVALID_CUSTOM_TOKEN", client, "accounts:signInWithCustomToken", {"token": token})
            return
        session = client("accounts:signInWithCustomToken", {"token": token, "returnSecureToken": True})
        self.assertIs(session["isNewUser"], True)
        claims = auth.verify_id_token(session["idToken"], check_revoked=True)
        self.assertEqual(claims["uid"], uid)
        self.assertIs(claims["premium"], True)
        # Only a server that checks its tokens names the session in them.
        self.assertEqual(bool(claims["firebase"].pop("session", None)), admin_sdk.IS_SIGNED)
        self.assertEqual(claims["firebase"], {"identities": {}, "sign_in_provider": "custom"})
        self.assertIs(auth.verify_id_token(refresh(session)["id_token"])["premium"], True)
        if admin_sdk.VERIFIES:
            head, body, signature = token.split(".")
            wrong = f"{head}.{body}.{signature[:-8]}AAAAAAAA"
            self.assert_refused("INVALID_CUSTOM_TOKEN", client, "accounts:signInWithCustomToken", {"token": wrong})


@unittest.skipUnless(admin_sdk.VERIFIES, "in emulator mode the SDK needs no access token")
class ServiceAccountTests(AdminSDKTestCase):
    def test_key_file_gets_access_tokens(self):
        file = os.environ["SDK_TEST_KEY_FILE"]
        with open(file, encoding="utf-8") as text:
            self.assertEqual(json.load(text)["token_uri"], f"{admin_sdk.URL}/oauth2/token")
        scopes = ["https://www.googleapis.com/auth/identitytoolkit"]
        credential = service_account.Credentials.from_service_account_file(file, scopes=scopes)
        credential.refresh(Request())
        self.assertTrue(credential.valid)
        self.assertTrue(credential.token.startswith("postern_sa_"))
        session = AuthorizedSession(credential)
        self.addCleanup(session.close)
        answer = session.get(f"{admin_sdk.URL}/v2/projects/{admin_sdk.PROJECT}/config", timeout=600)
        self.assertEqual((answer.status_code, answer.json()["name"]), (200, f"projects/{admin_sdk.PROJECT}/config"))
