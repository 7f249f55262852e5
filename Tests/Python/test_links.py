"""Links that an app mails itself."""

from urllib.parse import parse_qs, urlparse

from firebase_admin import auth

from admin_sdk import API_KEY, AdminSDKTestCase, client, sign_in, unique


class LinkTests(AdminSDKTestCase):
    def setUp(self):
        self.email = f"{unique()}@example.com"
        self.uid = auth.create_user(email=self.email, password="secret-1").uid
        self.addCleanup(lambda: auth.delete_users([self.uid]))
        self.settings = auth.ActionCodeSettings(url="http://localhost/next?a=b&c=d")

    def code(self, link, mode, continue_url="http://localhost/next?a=b&c=d"):
        """The code of a link with correct parameters."""
        query = {name: values for name, values in parse_qs(urlparse(link).query).items()}
        self.assertEqual(query["mode"], [mode], link)
        self.assertEqual(query.get("continueUrl"), continue_url and [continue_url], link)
        self.assertTrue(query["apiKey"], link)
        self.assertEqual(query["lang"], ["en"], link)
        return query["oobCode"][0]

    def test_password_is_reset(self):
        code = self.code(auth.generate_password_reset_link(self.email, self.settings), "resetPassword")
        client("accounts:resetPassword", {"oobCode": code, "newPassword": "secret-2"})
        self.assertEqual(sign_in(self.email, "secret-2")["localId"], self.uid)
        self.assertIs(auth.get_user(self.uid).email_verified, True)
        self.assert_refused("INVALID_OOB_CODE", client, "accounts:resetPassword", {"oobCode": code, "newPassword": "secret-3"})

    def test_address_is_verified(self):
        code = self.code(auth.generate_email_verification_link(self.email, self.settings), "verifyEmail")
        client("accounts:update", {"oobCode": code})
        self.assertIs(auth.get_user(self.uid).email_verified, True)

    def test_link_signs_in(self):
        for email in (self.email, f"{unique('new')}@example.com"):
            code = self.code(auth.generate_sign_in_with_email_link(email, self.settings), "signIn")
            session = client("accounts:signInWithEmailLink", {"email": email, "oobCode": code})
            self.addCleanup(lambda uid=session["localId"]: auth.delete_users([uid]))
            claims = auth.verify_id_token(session["idToken"], check_revoked=True)
            self.assertEqual((claims["email"], claims["email_verified"]), (email, True))

    def test_settings_may_be_absent(self):
        self.code(auth.generate_password_reset_link(self.email), "resetPassword", continue_url=None)
        self.code(auth.generate_email_verification_link(self.email), "verifyEmail", continue_url=None)

    def test_link_into_an_app(self):
        settings = auth.ActionCodeSettings(
            url="http://localhost/next", handle_code_in_app=True, ios_bundle_id="com.example.shop",
            android_package_name="com.example.shop", android_install_app=True, android_minimum_version="12",
        )
        self.assertIn("oobCode", auth.generate_password_reset_link(self.email, settings))

    def test_nobody_gets_no_verification(self):
        with self.assertRaises(auth.UserNotFoundError):
            auth.generate_email_verification_link(f"{unique('nobody')}@example.com")
