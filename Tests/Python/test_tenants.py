"""Tenants and their resources."""

import datetime
import unittest

from firebase_admin import auth, tenant_mgt

import admin_sdk
from admin_sdk import AdminSDKTestCase, client, sign_in, unique
from test_providers import OIDCTests, SAMLTests


class TenantTests(AdminSDKTestCase):
    def make(self, name="acme-corp", **fields):
        tenant = tenant_mgt.create_tenant(name, **fields)
        self.addCleanup(self.forget, tenant.tenant_id)
        return tenant

    def forget(self, tenant_id):
        try:
            tenant_mgt.delete_tenant(tenant_id)
        except tenant_mgt.TenantNotFoundError:
            pass

    def test_tenants_are_made_read_and_changed(self):
        made = self.make(allow_password_sign_up=True, enable_email_link_sign_in=True)
        found = tenant_mgt.get_tenant(made.tenant_id)
        for tenant in (made, found):
            self.assertEqual(tenant.tenant_id, made.tenant_id)
            self.assertEqual(tenant.display_name, "acme-corp")
            self.assertIs(tenant.allow_password_sign_up, True)
            self.assertIs(tenant.enable_email_link_sign_in, True)
        changed = tenant_mgt.update_tenant(made.tenant_id, display_name="other-name", enable_email_link_sign_in=False)
        self.assertEqual(changed.display_name, "other-name")
        self.assertIs(changed.enable_email_link_sign_in, False)
        self.assertIs(changed.allow_password_sign_up, True)
        bare = self.make()
        self.assertIs(bare.allow_password_sign_up, False)
        self.assertIs(bare.enable_email_link_sign_in, False)

    def test_tenants_are_listed_page_by_page(self):
        made = {self.make().tenant_id for _ in range(3)}
        seen, page = [], tenant_mgt.list_tenants(max_results=2)
        while page:
            self.assertLessEqual(len(page.tenants), 2)
            seen += [tenant.tenant_id for tenant in page.tenants]
            page = page.get_next_page()
        self.assertEqual(len(seen), len(set(seen)))
        self.assertLessEqual(made, set(seen))

    def test_deleted_tenant_is_gone(self):
        tenant = self.make(allow_password_sign_up=True)
        users = tenant_mgt.auth_for_tenant(tenant.tenant_id)
        uid = users.create_user(email="ada@example.com").uid
        tenant_mgt.delete_tenant(tenant.tenant_id)
        if admin_sdk.IS_SIGNED:
            for call in (
                lambda: tenant_mgt.get_tenant(tenant.tenant_id),
                lambda: tenant_mgt.delete_tenant(tenant.tenant_id),
                lambda: users.get_user(uid),
            ):
                with self.assertRaises(tenant_mgt.TenantNotFoundError):
                    call()
        else:
            # As in the emulator, naming a tenant creates it, without its old users.
            with self.assertRaises(auth.UserNotFoundError):
                users.get_user(uid)

    def test_users_belong_to_their_tenant(self):
        tenant, other = (self.make(allow_password_sign_up=True) for _ in range(2))
        users = tenant_mgt.auth_for_tenant(tenant.tenant_id)
        email = f"{unique()}@example.com"
        made = users.create_user(email=email, password="secret-1")
        self.assertEqual(made.tenant_id, tenant.tenant_id)
        self.assertEqual(users.get_user_by_email(email).uid, made.uid)
        self.assertEqual([user.uid for user in users.list_users().users], [made.uid])
        for elsewhere in (auth, tenant_mgt.auth_for_tenant(other.tenant_id)):
            with self.assertRaises(auth.UserNotFoundError):
                elsewhere.get_user(made.uid)
            with self.assertRaises(auth.UserNotFoundError):
                elsewhere.get_user_by_email(email)
        # The same address is free in the others.
        same = auth.create_user(email=email)
        self.addCleanup(lambda: auth.delete_users([same.uid]))
        users.set_custom_user_claims(made.uid, {"admin": True})
        session = sign_in(email, "secret-1", tenant.tenant_id)
        claims = users.verify_id_token(session["idToken"], check_revoked=True)
        self.assertEqual(claims["firebase"]["tenant"], tenant.tenant_id)
        self.assertIs(claims["admin"], True)
        with self.assertRaises(tenant_mgt.TenantIdMismatchError):
            tenant_mgt.auth_for_tenant(other.tenant_id).verify_id_token(session["idToken"])
        # The SDK creates cookies on the project's path. The token names the tenant.
        cookie = auth.create_session_cookie(session["idToken"], datetime.timedelta(hours=1))
        claims = auth.verify_session_cookie(cookie)
        self.assertEqual((claims["uid"], claims["firebase"]["tenant"]), (made.uid, tenant.tenant_id))
        link = users.generate_password_reset_link(email)
        self.assertIn(f"tenantId={tenant.tenant_id}", link)
        users.revoke_refresh_tokens(made.uid)
        users.update_user(made.uid, display_name="Ada")
        users.delete_user(made.uid)
        with self.assertRaises(auth.UserNotFoundError):
            users.get_user(made.uid)

    @unittest.skipIf(admin_sdk.WAY == "private", "in emulator mode the SDK signs no custom tokens, and production needs it")
    def test_custom_tokens_of_a_tenant(self):
        tenant = self.make()
        users = tenant_mgt.auth_for_tenant(tenant.tenant_id)
        token = users.create_custom_token("ada", {"premium": True}).decode()
        body = {"token": token, "tenantId": tenant.tenant_id}
        session = client("accounts:signInWithCustomToken", body)
        claims = users.verify_id_token(session["idToken"])
        self.assertEqual((claims["uid"], claims["premium"]), ("ada", True))

    def test_imported_users_belong_to_their_tenant(self):
        tenant = self.make(allow_password_sign_up=True)
        users = tenant_mgt.auth_for_tenant(tenant.tenant_id)
        result = users.import_users([auth.ImportUserRecord(uid="ada", email="ada@example.com")])
        self.assertEqual((result.success_count, result.failure_count), (1, 0))
        self.assertEqual(users.get_user("ada").tenant_id, tenant.tenant_id)


class TenantProviderTestCase(AdminSDKTestCase):
    """Runs tests of providers in a separate tenant."""

    def setUp(self):
        tenant = tenant_mgt.create_tenant("providers")
        self.addCleanup(tenant_mgt.delete_tenant, tenant.tenant_id)
        self.client = tenant_mgt.auth_for_tenant(tenant.tenant_id)


class TenantOIDCTests(TenantProviderTestCase, OIDCTests):
    def test_configs_are_not_those_of_the_project(self):
        made = self.make()
        with self.assertRaises(auth.ConfigurationNotFoundError):
            auth.get_oidc_provider_config(made.provider_id)


class TenantSAMLTests(TenantProviderTestCase, SAMLTests):
    pass


# Imported as base classes. Their own module runs them.
del OIDCTests, SAMLTests, TenantProviderTestCase
