"""Leads the Firebase Admin SDK for Python to a Postern server.

The SDK has Google's addresses compiled in and no option for others. :func:`use` replaces those of Firebase Authentication, once and for the
whole process, and nothing else: the SDK checks signatures, issuers, audiences and times as it does with Firebase.
"""

import importlib
import ipaddress
import json
import os
from urllib.parse import urlsplit

import firebase_admin
from firebase_admin import credentials
from google.oauth2.credentials import Credentials

__all__ = ["ConfigurationError", "use"]

_EMULATOR_VARIABLE = "FIREBASE_AUTH_EMULATOR_HOST"
_KEYS = "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
_COOKIE_KEYS = "/identitytoolkit/v3/relyingparty/publicKeys"
_SIGN = "/v1/projects/-/serviceAccounts/{}:signBlob"

# Where the SDK keeps an address: module, class (or None), name, Google's host, and what follows the host.
_ADDRESSES = (
    ("firebase_admin._user_mgt", "UserManager", "ID_TOOLKIT_URL", "identitytoolkit.googleapis.com", "/v1"),
    ("firebase_admin._token_gen", "TokenGenerator", "ID_TOOLKIT_URL", "identitytoolkit.googleapis.com", "/v1"),
    ("firebase_admin._auth_providers", "ProviderConfigClient", "PROVIDER_CONFIG_URL", "identitytoolkit.googleapis.com", "/v2"),
    ("firebase_admin.tenant_mgt", "_TenantManagementService", "TENANT_MGT_URL", "identitytoolkit.googleapis.com", "/v2"),
    ("firebase_admin._token_gen", None, "ID_TOKEN_CERT_URI", "www.googleapis.com", _KEYS),
    ("firebase_admin._token_gen", None, "COOKIE_CERT_URI", "www.googleapis.com", _COOKIE_KEYS),
    ("google.auth.iam", None, "_IAM_SIGN_ENDPOINT", "iamcredentials.googleapis.com", _SIGN),
)

_led_to = None


class ConfigurationError(ValueError):
    """The SDK cannot be led to the server as asked. Nothing was changed."""


class _BearerToken(credentials.Base):
    """A named token of an administrator (`postern admin-token create`), which does not expire by itself."""

    def __init__(self, token):
        super().__init__()
        self._credential = Credentials(token)

    def get_credential(self):
        return self._credential


def use(url, key_file=None, *, token=None):
    """Leads the Admin SDK to a server. Call it before ``firebase_admin.initialize_app``.

    Args:
        url: The server's public URL, such as ``https://auth.example.com``. ``http`` is taken for loopback addresses only.
        key_file: The key file of a service account, as ``postern service-account create`` wrote it.
        token: Instead of a key file, a named token of ``postern admin-token create``. ``create_custom_token`` then needs the option
            ``serviceAccountId`` of ``initialize_app``: a service account made with ``--held``.

    Returns:
        The credential for ``initialize_app``.

    Raises:
        ConfigurationError: For a bad URL or key file, an SDK whose addresses are not where they are known to be, an app that is
            initialized already, or when FIREBASE_AUTH_EMULATOR_HOST is set, with which the SDK verifies no signature.
    """
    global _led_to
    base = _base(url)
    if os.environ.get(_EMULATOR_VARIABLE):
        raise ConfigurationError(f"{_EMULATOR_VARIABLE} is set: the SDK would verify no signature. Unset it.")
    if (key_file is None) == (token is None):
        raise ConfigurationError("Give either a key file or a token.")
    if _led_to is not None and _led_to != base:
        raise ConfigurationError("The SDK of this process is led to another server already.")
    if _led_to is None and firebase_admin._apps:
        raise ConfigurationError("Call use() before firebase_admin.initialize_app().")
    credential = _BearerToken(token) if key_file is None else _key(key_file, base)
    places = [] if _led_to else [_place(address) for address in _ADDRESSES]
    for owner, name, host, rest in places:
        setattr(owner, name, f"{base}/{host}{rest}")
    _led_to = base
    return credential


def _base(url):
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except (ValueError, AttributeError, TypeError) as error:
        raise ConfigurationError("The server's URL is not a URL.") from error
    extra = parts.username is not None or parts.query or parts.fragment or parts.path not in ("", "/")
    if not host or extra or any(character in url for character in "?#\\ \t\r\n"):
        raise ConfigurationError("The server's URL has scheme, host and port only, such as https://auth.example.com.")
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_loopback(host)):
        raise ConfigurationError("The server's URL must start with https://, or name a loopback address.")
    return f"{parts.scheme}://{parts.netloc}"


def _is_loopback(host):
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _key(path, base):
    try:
        with open(path, encoding="utf-8") as file:
            key = json.load(file)
        token_uri = key["token_uri"]
    except (OSError, ValueError, KeyError, TypeError):
        # The cause may quote the file, which holds a private key.
        raise ConfigurationError("The key file cannot be read, or is not one of a service account.") from None
    if token_uri != base + "/oauth2/token":
        raise ConfigurationError("The key file is for another server: its token_uri is not below the given URL.")
    try:
        return credentials.Certificate(path)
    except ValueError:
        raise ConfigurationError("The key file is not one of a service account.") from None


def _place(address):
    module, owner, name, host, rest = address
    place = importlib.import_module(module)
    if owner:
        place = getattr(place, owner, None)
    value = getattr(place, name, None)
    if value != f"https://{host}{rest}":
        version = firebase_admin.__version__
        raise ConfigurationError(f"firebase-admin {version} keeps {name} elsewhere. Use a version that this package knows.")
    return place, name, host, rest
