"""Identity provider configurations."""

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from firebase_admin import auth, exceptions

from admin_sdk import ISSUER, AdminSDKTestCase, unique


def certificate(name):
    """A self-signed certificate in PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30)).sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM).decode()


class OIDCTests(AdminSDKTestCase):
    client = auth

    def make(self, **fields):
        provider_id = f"oidc.{unique('p')}"
        values = {"client_id": "client", "issuer": ISSUER, "display_name": "Corp", "enabled": True} | fields
        made = self.client.create_oidc_provider_config(provider_id, **values)
        self.addCleanup(self.forget, provider_id)
        self.assertEqual(made.provider_id, provider_id)
        return made

    def forget(self, provider_id):
        try:
            self.client.delete_oidc_provider_config(provider_id)
        except auth.ConfigurationNotFoundError:
            pass

    def test_created_config_is_read_back(self):
        made = self.make(client_secret="hush", code_response_type=True, id_token_response_type=False)
        for found in (made, self.client.get_oidc_provider_config(made.provider_id)):
            self.assertEqual(found.provider_id, made.provider_id)
            self.assertEqual((found.client_id, found.issuer, found.display_name), ("client", ISSUER, "Corp"))
            self.assertIs(found.enabled, True)
            self.assertEqual(found.client_secret, "hush")
            self.assertIs(found.code_response_type, True)
            self.assertFalse(found.id_token_response_type)

    def test_defaults(self):
        made = self.make(display_name=None, enabled=None)
        self.assertIsNone(made.display_name)
        self.assertIs(made.enabled, False)
        self.assertIsNone(made.client_secret)
        self.assertIs(made.id_token_response_type, True)
        self.assertFalse(made.code_response_type)

    def test_update_changes_what_is_named(self):
        made = self.make()
        changed = self.client.update_oidc_provider_config(
            made.provider_id, display_name=auth.DELETE_ATTRIBUTE, enabled=False, client_id="other", client_secret="hush",
            id_token_response_type=False, code_response_type=True,
        )
        self.assertIsNone(changed.display_name)
        self.assertIs(changed.enabled, False)
        self.assertEqual((changed.client_id, changed.client_secret, changed.issuer), ("other", "hush", ISSUER))
        self.assertIs(changed.code_response_type, True)
        changed = self.client.update_oidc_provider_config(made.provider_id, client_id="third")
        self.assertEqual((changed.client_id, changed.client_secret), ("third", "hush"))

    def test_configs_are_listed_page_by_page(self):
        made = [self.make().provider_id for _ in range(3)]
        seen, page = [], self.client.list_oidc_provider_configs(max_results=2)
        while page:
            seen += [config.provider_id for config in page.provider_configs]
            page = page.get_next_page()
        self.assertEqual([provider_id for provider_id in seen if provider_id in made], made)

    def test_errors(self):
        made = self.make()
        with self.assertRaises(exceptions.ConflictError):
            self.client.create_oidc_provider_config(made.provider_id, client_id="c", issuer=ISSUER)
        with self.assertRaises(exceptions.InvalidArgumentError):
            self.client.create_oidc_provider_config("oidc.bad/id", client_id="c", issuer=ISSUER)
        self.client.delete_oidc_provider_config(made.provider_id)
        for call in (
            lambda: self.client.get_oidc_provider_config(made.provider_id),
            lambda: self.client.update_oidc_provider_config(made.provider_id, enabled=True),
            lambda: self.client.delete_oidc_provider_config(made.provider_id),
        ):
            with self.assertRaises(auth.ConfigurationNotFoundError):
                call()


class SAMLTests(AdminSDKTestCase):
    client = auth
    certificates = [certificate("one"), certificate("two")]

    def make(self, **fields):
        provider_id = f"saml.{unique('p')}"
        values = {
            "idp_entity_id": "corp", "sso_url": "https://idp.example.com/sso", "x509_certificates": self.certificates,
            "rp_entity_id": "shop", "callback_url": "https://shop.example.com/__/auth/handler", "display_name": "Corp",
            "enabled": True,
        }
        made = self.client.create_saml_provider_config(provider_id, **(values | fields))
        self.addCleanup(self.forget, provider_id)
        return made

    def forget(self, provider_id):
        try:
            self.client.delete_saml_provider_config(provider_id)
        except auth.ConfigurationNotFoundError:
            pass

    def test_created_config_is_read_back(self):
        made = self.make()
        for found in (made, self.client.get_saml_provider_config(made.provider_id)):
            self.assertEqual(found.provider_id, made.provider_id)
            self.assertEqual((found.idp_entity_id, found.sso_url), ("corp", "https://idp.example.com/sso"))
            self.assertEqual(found.x509_certificates, self.certificates)
            self.assertEqual((found.rp_entity_id, found.callback_url), ("shop", "https://shop.example.com/__/auth/handler"))
            self.assertEqual((found.display_name, found.enabled), ("Corp", True))

    def test_update_changes_what_is_named(self):
        made = self.make()
        changed = self.client.update_saml_provider_config(
            made.provider_id, sso_url="https://idp.example.com/other", x509_certificates=self.certificates[1:],
            display_name=auth.DELETE_ATTRIBUTE, enabled=False,
        )
        self.assertEqual((changed.idp_entity_id, changed.sso_url), ("corp", "https://idp.example.com/other"))
        self.assertEqual(changed.x509_certificates, self.certificates[1:])
        self.assertIsNone(changed.display_name)
        self.assertIs(changed.enabled, False)
        self.assertEqual(changed.rp_entity_id, "shop")

    def test_configs_are_listed_page_by_page(self):
        made = [self.make().provider_id for _ in range(3)]
        listed = [config.provider_id for config in self.client.list_saml_provider_configs(max_results=2).iterate_all()]
        self.assertEqual([provider_id for provider_id in listed if provider_id in made], made)

    def test_deleted_config_is_gone(self):
        made = self.make()
        self.client.delete_saml_provider_config(made.provider_id)
        with self.assertRaises(auth.ConfigurationNotFoundError):
            self.client.get_saml_provider_config(made.provider_id)
