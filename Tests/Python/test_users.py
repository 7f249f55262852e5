"""Accounts: creating, finding, listing, changing and deleting them."""

import time

from firebase_admin import auth

from admin_sdk import AdminSDKTestCase, refresh, sign_in, unique, unique_number


class UserTests(AdminSDKTestCase):
    def make(self, **fields):
        user = auth.create_user(**fields)
        self.addCleanup(lambda: auth.delete_users([user.uid]))
        return user

    def test_created_user_is_found_by_each_identifier(self):
        uid, number = unique(), unique_number()
        email = f"{uid}@example.com"
        before = int(time.time() * 1000) - 60_000
        made = self.make(
            uid=uid, email=email.upper(), phone_number=number, display_name="Ada", photo_url="https://example.com/a.png",
            password="secret-1", email_verified=True, disabled=False,
        )
        self.assertEqual(made.uid, uid)
        for found in (auth.get_user(uid), auth.get_user_by_email(email), auth.get_user_by_phone_number(number)):
            self.assertEqual(found.uid, uid)
            self.assertEqual(found.email, email)
            self.assertIs(found.email_verified, True)
            self.assertEqual(found.phone_number, number)
            self.assertEqual(found.display_name, "Ada")
            self.assertEqual(found.photo_url, "https://example.com/a.png")
            self.assertIs(found.disabled, False)
            self.assertIsNone(found.custom_claims)
            self.assertIsNone(found.tenant_id)
            self.assertEqual([entry.provider_id for entry in found.provider_data], ["password", "phone"])
            self.assertGreater(found.user_metadata.creation_timestamp, before)
            self.assertIsNone(found.user_metadata.last_sign_in_timestamp)
            self.assertIsNone(found.user_metadata.last_refresh_timestamp)
        # A number is looked up as a provider's id, too.
        self.assertEqual(auth.get_users([auth.ProviderIdentifier("phone", number)]).users[0].uid, uid)

    def test_empty_user_has_nothing(self):
        user = self.make()
        self.assertTrue(user.uid)
        self.assertIsNone(user.email)
        self.assertEqual(user.provider_data, [])

    def test_sign_in_and_refresh_leave_their_times(self):
        email = f"{unique()}@example.com"
        user = self.make(email=email, password="secret-1")
        refresh(sign_in(email, "secret-1"))
        found = auth.get_user(user.uid)
        self.assertGreaterEqual(found.user_metadata.last_sign_in_timestamp, found.user_metadata.creation_timestamp)
        self.assertIsNotNone(found.user_metadata.last_refresh_timestamp)

    def test_identifiers_are_unique(self):
        uid, number = unique(), unique_number()
        self.make(uid=uid, email=f"{uid}@example.com", phone_number=number)
        with self.assertRaises(auth.UidAlreadyExistsError):
            auth.create_user(uid=uid)
        with self.assertRaises(auth.EmailAlreadyExistsError):
            auth.create_user(email=f"{uid.upper()}@example.com")
        with self.assertRaises(auth.PhoneNumberAlreadyExistsError):
            auth.create_user(phone_number=number)
        other = self.make()
        with self.assertRaises(auth.EmailAlreadyExistsError):
            auth.update_user(other.uid, email=f"{uid}@example.com")

    def test_nobody_is_not_found(self):
        uid = unique("nobody")
        for call in (
            lambda: auth.get_user(uid),
            lambda: auth.get_user_by_email(f"{uid}@example.com"),
            lambda: auth.get_user_by_phone_number(unique_number()),
            lambda: auth.update_user(uid, display_name="x"),
            lambda: auth.delete_user(uid),
        ):
            with self.assertRaises(auth.UserNotFoundError):
                call()

    def test_many_are_found_at_once(self):
        uids = [unique() for _ in range(3)]
        number = unique_number()
        self.make(uid=uids[0])
        self.make(uid=uids[1], email=f"{uids[1]}@example.com")
        self.make(uid=uids[2], phone_number=number)
        missing = auth.UidIdentifier(unique("nobody"))
        result = auth.get_users([
            auth.UidIdentifier(uids[0]), auth.EmailIdentifier(f"{uids[1]}@example.com"), auth.PhoneIdentifier(number),
            auth.ProviderIdentifier("google.com", unique("nobody")), missing,
        ])
        self.assertEqual({user.uid for user in result.users}, set(uids))
        self.assertEqual(len(result.not_found), 2)
        self.assertIn(missing, result.not_found)
        self.assertEqual(auth.get_users([missing]).users, [])

    def test_users_are_listed_page_by_page_in_order(self):
        made = sorted(self.make(uid=unique("page"), email=f"{unique()}@example.com", password="secret-1").uid for _ in range(5))
        seen, page = [], auth.list_users(max_results=2)
        while page:
            self.assertLessEqual(len(page.users), 2)
            seen += page.users
            page = page.get_next_page()
        uids = [user.uid for user in seen]
        self.assertEqual(uids, sorted(uids))
        self.assertEqual(len(uids), len(set(uids)))
        self.assertEqual([uid for uid in uids if uid in made], made)
        for user in seen:
            if user.uid in made:
                self.assertTrue(user.password_hash)
                self.assertTrue(user.password_salt)
        # The token is an id, and a listing may begin at any id.
        after = auth.list_users(page_token=made[0], max_results=1000)
        self.assertEqual(min(user.uid for user in after.users), made[1])
        self.assertEqual(len(list(auth.list_users(max_results=3).iterate_all())), len(uids))

    def test_update_changes_what_is_named_and_nothing_else(self):
        email, number = f"{unique()}@example.com", unique_number()
        user = self.make(email=email, password="secret-1", display_name="Ada", photo_url="https://example.com/a.png")
        changed = auth.update_user(user.uid, phone_number=number, email_verified=True)
        self.assertEqual((changed.phone_number, changed.email_verified), (number, True))
        self.assertEqual((changed.email, changed.display_name), (email, "Ada"))
        changed = auth.update_user(user.uid, email=f"new-{email}", password="secret-2", disabled=True)
        self.assertEqual(changed.email, f"new-{email}")
        self.assertIs(changed.email_verified, False)
        self.assertIs(changed.disabled, True)
        changed = auth.update_user(
            user.uid, display_name=auth.DELETE_ATTRIBUTE, photo_url=auth.DELETE_ATTRIBUTE, phone_number=auth.DELETE_ATTRIBUTE,
            disabled=False,
        )
        self.assertEqual((changed.display_name, changed.photo_url, changed.phone_number), (None, None, None))
        self.assertEqual([entry.provider_id for entry in changed.provider_data], ["password"])
        self.assertEqual(sign_in(f"new-{email}", "secret-2")["localId"], user.uid)

    def test_disabled_user_cannot_sign_in(self):
        email = f"{unique()}@example.com"
        user = self.make(email=email, password="secret-1")
        session = sign_in(email, "secret-1")
        auth.update_user(user.uid, disabled=True)
        self.assert_refused("USER_DISABLED", sign_in, email, "secret-1")
        self.assert_refused("USER_DISABLED", refresh, session)
        auth.update_user(user.uid, disabled=False)
        sign_in(email, "secret-1")

    def test_provider_is_unlinked(self):
        uid, raw = unique(), unique("raw")
        provider = auth.UserProvider(uid=raw, provider_id="google.com", email=f"{uid}@example.com")
        self.addCleanup(lambda: auth.delete_users([uid]))
        self.assertEqual(auth.import_users([auth.ImportUserRecord(uid=uid, provider_data=[provider])]).failure_count, 0)
        found = auth.get_users([auth.ProviderIdentifier("google.com", raw)]).users
        self.assertEqual([user.uid for user in found], [uid])
        self.assertEqual(auth.update_user(uid, providers_to_delete=["google.com"]).provider_data, [])

    def test_users_are_deleted(self):
        uids = [auth.create_user().uid for _ in range(3)]
        auth.delete_user(uids[0])
        with self.assertRaises(auth.UserNotFoundError):
            auth.get_user(uids[0])
        result = auth.delete_users([*uids, unique("nobody")])
        self.assertEqual((result.success_count, result.failure_count, result.errors), (4, 0, []))
        self.assertEqual(auth.get_users([auth.UidIdentifier(uid) for uid in uids]).users, [])
