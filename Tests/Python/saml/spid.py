"""Judges a service provider by the response cases of spid-sp-test, the checker of Italy's SPID federation.

    spid.py identity
    spid.py judge --server URL --api-key KEY --provider ID --continue-uri URL

The first prints the checker's entity id and certificate, which configure it as an identity provider: {"entityId", "certificate"}.

The second prints one JSON object for each case: {"case", "about", "wanted": ["accepted", "refused"], "status", "message", "user"}.
The cases, their templates, their signatures and what each must end in are the checker's. Its own way to begin a sign-in, a GET of a
page, is replaced by `accounts:createAuthUri`, and its post to the service by `accounts:signInWithIdp`. Three things are changed in
what it writes, since they would hide what a case is about: names are persistent and not transient, times count from the request on, and
the audience is the request's issuer, which has no NameQualifier here.

The checker's wrapping attacks lose all namespaces on the way, so that any service refuses them for that. They come a second time, as
"xsw1 with namespaces" and so on, and so does case 1, which shows that what is put back keeps signatures valid.
"""

import argparse
import datetime
import json
import logging
import re
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import requests
from lxml import etree
from spid_sp_test import response as checker
from spid_sp_test.idp.settings import SAML2_IDP_CONFIG
from spid_sp_test.responses import settings
from spid_sp_test.utils import decode_authn_req_http_redirect, del_ns

NAMES = "urn:oasis:names:tc:SAML:2.0:nameid-format:"
PROTOCOL = {"Response", "Status", "StatusCode", "Extensions"}
SIGNATURE = {
    "Signature", "SignedInfo", "CanonicalizationMethod", "SignatureMethod", "Reference", "Transforms", "Transform", "DigestMethod",
    "DigestValue", "SignatureValue", "KeyInfo", "X509Data", "X509Certificate", "Object",
}
DECLARATIONS = (
    ' xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"'
    ' xmlns:ds="http://www.w3.org/2000/09/xmldsig#" xmlns:xs="http://www.w3.org/2001/XMLSchema"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
)


def with_namespaces(xml):
    """Puts back what the checker's `del_ns` has taken: the prefixes of elements, and the types of values."""

    def prefixed(match):
        name = match[2]
        prefix = "samlp" if name in PROTOCOL else "ds" if name in SIGNATURE else "saml"
        return f"<{match[1]}{prefix}:{name}"

    def typed(match):
        return f'{match[0]} xsi:type="xs:{settings.ATTRIBUTES_TYPES.get(match[1], "string")}"'

    xml = re.sub(r'<Attribute Name="([^"]*)">\s*<AttributeValue', typed, xml)
    xml = re.sub(r"<(/?)([A-Za-z0-9]+)(?=[\s/>])", prefixed, xml)
    return xml.replace("<samlp:Response", "<samlp:Response" + DECLARATIONS, 1)


class Check(checker.SpidSpResponseCheck):
    def __init__(self, arguments):
        self.arguments = arguments
        self.session_id = None
        self.has_namespaces = False
        super().__init__(
            metadata_etree=self.metadata(), authn_request_url=arguments.server, requests_session=requests.Session())

    def call(self, method, body):
        url = f"{self.arguments.server}/v1/accounts:{method}"
        return requests.post(url, params={"key": self.arguments.api_key}, json=body, timeout=600)

    def metadata(self):
        answer = requests.get(f"{self.arguments.server}/__/auth/saml/{self.arguments.provider}/metadata", timeout=600)
        answer.raise_for_status()
        tree = etree.fromstring(answer.content)
        del_ns(tree)
        return tree

    def begin(self, *_, **__):
        """What the checker's own function returns for the address of a page."""
        answer = self.call("createAuthUri", {"providerId": self.arguments.provider, "continueUri": self.arguments.continue_uri})
        answer.raise_for_status()
        begun = answer.json()
        self.session_id = begun["sessionId"]
        query = parse_qs(urlsplit(begun["authUri"]).query)
        tree = etree.fromstring(decode_authn_req_http_redirect(query["SAMLRequest"][0]).encode())
        issuer = tree[0]
        issuer.set("NameQualifier", issuer.text)
        return {
            "SAMLRequest_xml": etree.tostring(tree), "RelayState": query["RelayState"][0], "requests_session": self.requests_session}

    def do_authnrequest(self):
        super().do_authnrequest()
        now = datetime.datetime.fromisoformat(self.authnreq_attrs["IssueInstant"].replace("Z", "+00:00"))
        self.response_attrs["AuthnIstant"] = now.strftime("%Y-%m-%dT%H:%M:%SZ")
        self.response_attrs["IssueInstantMillis"] = now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        self.response_attrs["NotOnOrAfter"] = (now + datetime.timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def sign(self, xmlstr, **more):
        return super().sign(xmlstr.replace(f'"{NAMES}transient"', f'"{NAMES}persistent"'), **more)

    def post_xml(self, xml, conf={}):
        changed = super().post_xml(xml, conf)
        if not self.has_namespaces:
            return changed
        tree = etree.fromstring(changed)
        del_ns(tree)
        return with_namespaces(etree.tostring(tree).decode())

    def send_response(self, xmlstr):
        encoded = checker.base64.b64encode(xmlstr.encode()).decode()
        form = urlencode({"SAMLResponse": encoded, "RelayState": self.authn_request_data["RelayState"]})
        return self.call("signInWithIdp", {
            "requestUri": self.arguments.continue_uri, "postBody": form, "sessionId": self.session_id, "returnSecureToken": True})

    def check_response(self, res, msg, attendeds=(), test_id=""):
        answer = res.json()
        print(json.dumps({
            "case": f"{test_id} with namespaces" if self.has_namespaces else test_id,
            "about": re.sub(r"^Test \[\w+\] ", "", msg),
            "wanted": sorted({"accepted" if status == 200 else "refused" for status in attendeds}),
            "status": res.status_code,
            "message": answer.get("error", {}).get("message"),
            "user": answer.get("localId"),
        }), flush=True)
        return super().check_response(res, msg, attendeds, test_id)

    def is_ok(self, *_):
        """The judgement is the test's that reads what is printed."""

    def judge(self):
        self.test_profile_spid_sp()
        self.has_namespaces = True
        self.test_names = ["1"] + [name for name in self.tests if name.startswith("xsw")]
        self.test_profile_spid_sp()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("identity")
    judge = commands.add_parser("judge")
    for option in ("--server", "--api-key", "--provider", "--continue-uri"):
        judge.add_argument(option, required=True)
    arguments = parser.parse_args()
    if arguments.command == "identity":
        certificate = Path(SAML2_IDP_CONFIG["cert_file"]).read_text()
        return print(json.dumps({"entityId": SAML2_IDP_CONFIG["entityid"], "certificate": certificate}))
    logging.disable(logging.CRITICAL)
    check = Check(arguments)
    checker.get_authn_request = check.begin
    check.judge()


if __name__ == "__main__":
    main()
