"""A real SAML identity provider on loopback for tests: pysaml2's, which signs with the program xmlsec1.

    idp.py --key FILE --certificate FILE --service-metadata FILE [--user NAME] [--sign response|assertion|both] [--encrypt] [--sha1]
           [--want-signed] [--port N]

Prints one JSON object when it listens: {"event": "listening", "port": N}. Serves /metadata, and /sso by redirect and by post: signs the
user in at once, and answers with the page that posts the response, as browsers get it. `user` in the query of /sso names another user.
Requests that pysaml2 refuses are answered with 400.
"""

import argparse
import json
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAMEID_FORMAT_EMAILADDRESS, NAMEID_FORMAT_PERSISTENT, NameID
from saml2.server import Server
from saml2.xmldsig import DIGEST_SHA1, DIGEST_SHA256, SIG_RSA_SHA1, SIG_RSA_SHA256

PASSWORD = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"


def configuration(arguments, base, work):
    return IdPConfig().load({
        "entityid": f"{base}/metadata",
        "key_file": arguments.key,
        "cert_file": arguments.certificate,
        "xmlsec_binary": arguments.xmlsec,
        "metadata": {"local": [arguments.service_metadata]},
        "service": {
            "idp": {
                "endpoints": {
                    "single_sign_on_service": [(f"{base}/sso", BINDING_HTTP_REDIRECT), (f"{base}/sso", BINDING_HTTP_POST)],
                },
                "want_authn_requests_signed": arguments.want_signed,
                "policy": {"default": {"lifetime": {"minutes": 5}, "attribute_restrictions": None}},
                "name_id_format": [NAMEID_FORMAT_EMAILADDRESS, NAMEID_FORMAT_PERSISTENT],
                "subject_data": str(Path(work) / "subjects"),
            }
        },
    })


class Provider:
    def __init__(self, arguments, base, work):
        self.arguments = arguments
        self.server = Server(config=configuration(arguments, base, work))

    def metadata(self):
        return str(entity_descriptor(self.server.config)).encode()

    def answer(self, fields, binding):
        """The page that posts the response to the request in these fields."""
        request = fields["SAMLRequest"][0]
        signed = {}
        if binding == BINDING_HTTP_REDIRECT and "Signature" in fields:
            signed = {"sigalg": fields["SigAlg"][0], "signature": fields["Signature"][0]}
        parsed = self.server.parse_authn_request(request, binding, relay_state=fields.get("RelayState", [None])[0], **signed)
        if parsed is None:
            raise ValueError("not a request")
        user = fields.get("user", [self.arguments.user])[0]
        parts = self.server.response_args(parsed.message)
        sign = self.arguments.sign
        response = self.server.create_authn_response(
            identity={"mail": [user], "givenName": ["Ada"], "sn": ["Lovelace"]},
            name_id=NameID(format=NAMEID_FORMAT_EMAILADDRESS, sp_name_qualifier=parts["sp_entity_id"], text=user),
            authn={"class_ref": PASSWORD, "authn_auth": self.server.config.entityid},
            sign_response=sign in ("response", "both"),
            sign_assertion=sign in ("assertion", "both"),
            sign_alg=SIG_RSA_SHA1 if self.arguments.sha1 else SIG_RSA_SHA256,
            digest_alg=DIGEST_SHA1 if self.arguments.sha1 else DIGEST_SHA256,
            encrypt_assertion=self.arguments.encrypt,
            **{name: value for name, value in parts.items() if name in ("in_response_to", "destination", "sp_entity_id", "name_id_policy")},
        )
        page = self.server.apply_binding(
            BINDING_HTTP_POST, str(response), parts["destination"], fields.get("RelayState", [""])[0], response=True)
        return page["data"].encode()


class Handler(BaseHTTPRequestHandler):
    provider = None

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/metadata":
            self.reply(200, "application/samlmetadata+xml", self.provider.metadata())
        else:
            self.sign_in(url, parse_qs(url.query), BINDING_HTTP_REDIRECT)

    def do_POST(self):
        url = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.sign_in(url, {**parse_qs(url.query), **parse_qs(body)}, BINDING_HTTP_POST)

    def sign_in(self, url, fields, binding):
        if url.path != "/sso":
            return self.reply(404, "text/plain", b"no such page")
        try:
            page = self.provider.answer(fields, binding)
        except Exception as error:
            print(f"refused: {error!r}", file=sys.stderr, flush=True)
            return self.reply(400, "text/plain", type(error).__name__.encode())
        self.reply(200, "text/html; charset=utf-8", page)

    def reply(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--key", required=True)
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--service-metadata", required=True, help="the service provider's, in a file")
    parser.add_argument("--user", default="ada@example.com")
    parser.add_argument("--sign", choices=["response", "assertion", "both"], default="assertion")
    parser.add_argument("--encrypt", action="store_true", help="with the algorithm that pysaml2 has, triple DES in CBC")
    parser.add_argument("--sha1", action="store_true")
    parser.add_argument("--want-signed", action="store_true", help="refuse requests without a signature")
    parser.add_argument("--xmlsec", default="/usr/bin/xmlsec1")
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    listener = ThreadingHTTPServer(("127.0.0.1", arguments.port), Handler)
    port = listener.server_address[1]
    with tempfile.TemporaryDirectory() as work:
        Handler.provider = Provider(arguments, f"http://127.0.0.1:{port}", work)
        print(json.dumps({"event": "listening", "port": port}), flush=True)
        listener.serve_forever()


if __name__ == "__main__":
    main()
