"""Imported accounts keep their passwords."""

import base64
import hashlib
import hmac

from firebase_admin import auth

from admin_sdk import AdminSDKTestCase, sign_in, unique, unique_number

PASSWORD, SALT, KEY = b"password", b"NaCl", b"secret"

# Made with Firebase's own tool, with the key and the salt of its documentation.
FIREBASE_KEY = base64.b64decode("jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==")
FIREBASE_HASH = base64.b64decode("V358E8LdWJXAO7muq0CufVpEOXaj8aFiC7T/rcaGieN04q/ZPJ08WhJEHGjj9lz/2TT+/86N5VjVoc5DdBhBiw==")


def keyed(name):
    return hmac.new(KEY, PASSWORD + SALT, name).digest()


def plain(name):
    return hashlib.new(name, SALT + PASSWORD).digest()


ALGORITHMS = {
    "HMAC_SHA512": (auth.UserImportHash.hmac_sha512(KEY), keyed("sha512"), SALT),
    "HMAC_SHA256": (auth.UserImportHash.hmac_sha256(KEY), keyed("sha256"), SALT),
    "HMAC_SHA1": (auth.UserImportHash.hmac_sha1(KEY), keyed("sha1"), SALT),
    "HMAC_MD5": (auth.UserImportHash.hmac_md5(KEY), keyed("md5"), SALT),
    "MD5": (auth.UserImportHash.md5(0), plain("md5").hex().encode(), SALT),
    "SHA1": (auth.UserImportHash.sha1(1), plain("sha1"), SALT),
    "SHA256": (auth.UserImportHash.sha256(1), plain("sha256"), SALT),
    "SHA512": (auth.UserImportHash.sha512(1), plain("sha512"), SALT),
    "PBKDF_SHA1": (auth.UserImportHash.pbkdf_sha1(1000), hashlib.pbkdf2_hmac("sha1", PASSWORD, SALT, 1000, 20), SALT),
    "PBKDF2_SHA256": (
        auth.UserImportHash.pbkdf2_sha256(100000), hashlib.pbkdf2_hmac("sha256", PASSWORD, SALT, 100000, 64), SALT,
    ),
    "SCRYPT": (
        auth.UserImportHash.scrypt(key=FIREBASE_KEY, rounds=8, memory_cost=14, salt_separator=b"\x07"), FIREBASE_HASH, SALT,
    ),
    "STANDARD_SCRYPT": (
        auth.UserImportHash.standard_scrypt(memory_cost=1024, parallelization=16, block_size=8, derived_key_length=64),
        hashlib.scrypt(PASSWORD, salt=SALT, n=1024, r=8, p=16, dklen=64), SALT,
    ),
    "BCRYPT": (auth.UserImportHash.bcrypt(), b"$2a$10$KssILxWNR6k62B7yiX0GAea1dMpv46F2dRjSuJzsThfj4ynjWYbna", None),
}


class ImportTests(AdminSDKTestCase):
    def forget(self, uid):
        self.addCleanup(lambda: auth.delete_users([uid]))
        return uid

    def test_old_passwords_open_imported_accounts(self):
        for name, (algorithm, digest, salt) in ALGORITHMS.items():
            with self.subTest(algorithm=name):
                uid = self.forget(unique("moved"))
                email = f"{uid}@example.com"
                row = auth.ImportUserRecord(uid=uid, email=email, password_hash=digest, password_salt=salt)
                result = auth.import_users([row], hash_alg=algorithm)
                self.assertEqual((result.success_count, result.errors), (1, []))
                self.assertEqual(auth.get_user(uid).provider_data[0].provider_id, "password")
                with self.assertRaises(Exception):
                    sign_in(email, "passwore")
                # At the second sign-in the password has been hashed again.
                for _ in range(2):
                    self.assertEqual(sign_in(email, "password")["localId"], uid)

    def test_imported_account_has_everything(self):
        uid, raw, number = self.forget(unique("moved")), unique("raw"), unique_number()
        provider = auth.UserProvider(
            uid=raw, provider_id="google.com", email="g@example.com", display_name="G", photo_url="https://example.com/g.png"
        )
        row = auth.ImportUserRecord(
            uid=uid, email=f"{uid}@example.com", email_verified=True, display_name="Ada", phone_number=number,
            photo_url="https://example.com/a.png", disabled=True, custom_claims={"admin": True}, provider_data=[provider],
            user_metadata=auth.UserMetadata(creation_timestamp=1_500_000_000_000, last_sign_in_timestamp=1_600_000_000_000),
        )
        self.assertEqual(auth.import_users([row]).failure_count, 0)
        found = auth.get_user(uid)
        self.assertEqual((found.email, found.email_verified), (f"{uid}@example.com", True))
        self.assertEqual((found.display_name, found.phone_number), ("Ada", number))
        self.assertEqual(found.photo_url, "https://example.com/a.png")
        self.assertIs(found.disabled, True)
        self.assertEqual(found.custom_claims, {"admin": True})
        self.assertEqual(found.user_metadata.creation_timestamp, 1_500_000_000_000)
        self.assertEqual(found.user_metadata.last_sign_in_timestamp, 1_600_000_000_000)
        self.assertEqual([entry.provider_id for entry in found.provider_data], ["google.com", "phone"])
        google = found.provider_data[0]
        self.assertEqual((google.uid, google.email, google.display_name), (raw, "g@example.com", "G"))

    def test_each_bad_row_is_reported_and_the_others_are_stored(self):
        good, taken = self.forget(unique("good")), auth.create_user(uid=self.forget(unique("taken"))).uid
        rows = [auth.ImportUserRecord(uid=good), auth.ImportUserRecord(uid=taken), auth.ImportUserRecord(uid=unique("phone"))]
        rows[2]._phone_number = "12"
        result = auth.import_users(rows)
        self.assertEqual((result.success_count, result.failure_count), (1, 2))
        self.assertEqual(
            [(error.index, error.reason) for error in result.errors],
            [(1, "localId belongs to an existing account - can not overwrite."), (2, "phone number format is invalid")],
        )
        self.assertEqual(auth.get_user(good).uid, good)
