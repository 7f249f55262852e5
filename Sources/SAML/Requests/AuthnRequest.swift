import CSAML
import Crypto
import CryptoExtras
import Foundation
package import Project

/// A request that asks an identity provider to sign a user in (SAML core §3.4).
package struct AuthnRequest: Sendable {
    /// `_` and 160 random bits.
    package let id: String
    /// The entity id of this service provider.
    package let issuer: String
    /// The provider's address for the binding in use.
    package let destination: String
    /// Where the response shall be posted.
    package let assertionConsumerURL: String
    /// The kind of name that the provider shall answer with; `nil` leaves it to the provider.
    package let nameIDFormat: String?
    /// Whether the provider shall ask for the password although the user has a session.
    package let forceAuthn: Bool
    /// When the request is made.
    package let issueInstant: Timestamp

    package init(
        id: String = randomID(),
        issuer: String,
        destination: String,
        assertionConsumerURL: String,
        nameIDFormat: String? = nil,
        forceAuthn: Bool = false,
        issueInstant: Timestamp
    ) {
        self.id = id
        self.issuer = issuer
        self.destination = destination
        self.assertionConsumerURL = assertionConsumerURL
        self.nameIDFormat = nameIDFormat
        self.forceAuthn = forceAuthn
        self.issueInstant = issueInstant
    }

    /// A new id: `_`, since ids may not begin with a digit, and 160 random bits as hexadecimal digits.
    package static func randomID() -> String {
        let bytes = SymmetricKey(size: SymmetricKeySize(bitCount: 160)).withUnsafeBytes { Array($0) }
        return "_" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The address that the browser is sent to (HTTP-Redirect, SAML bindings §3.4).
    ///
    /// - Parameter signingKey: The service provider's RSA key as PEM (PKCS #8); `nil` leaves the request unsigned.
    package func redirectURL(relayState: String, signingKey: String?) throws -> String {
        let document = try xml()
        let (code, compressed) = takingBytes { csaml_deflate(document, document.count, $0) }
        guard code == CSAML_OK else { throw SAMLRequestError.library }
        var query = "SAMLRequest=\(Self.escaped(Data(compressed).base64EncodedString()))&RelayState=\(Self.escaped(relayState))"
        if let signingKey {
            query += "&SigAlg=\(Self.escaped(XMLAlgorithm.rsaSHA256))"
            query += "&Signature=\(Self.escaped(try Self.signature(of: query, by: signingKey)))"
        }
        // Addresses of providers may have a query already, and a fragment is not sent.
        let address = destination.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
        guard address.utf8.contains(UInt8(ascii: "?")) else { return "\(address)?\(query)" }
        return address.hasSuffix("?") || address.hasSuffix("&") ? "\(address)\(query)" : "\(address)&\(query)"
    }

    /// The fields of the form that the browser posts to `destination` (HTTP-POST, SAML bindings §3.5).
    ///
    /// - Returns: `samlRequest` is in Base64.
    package func form(
        relayState: String,
        signingKey: String?,
        certificate: String?
    ) throws -> (samlRequest: String, relayState: String) {
        var document = try xml()
        if let signingKey {
            guard let certificate else { throw SAMLRequestError.key }
            document = try RequestSignature(key: signingKey, certificate: certificate).sign(document)
        }
        return (Data(document).base64EncodedString(), relayState)
    }

    private func xml() throws -> [UInt8] {
        let writer = try XMLWriter()
        try writer.element(
            "samlp:AuthnRequest",
            [
                ("xmlns:samlp", XMLNamespace.protocol), ("xmlns:saml", XMLNamespace.assertion), ("ID", id), ("Version", "2.0"),
                ("IssueInstant", issueInstant.rfc3339), ("Destination", destination), ("ForceAuthn", forceAuthn ? "true" : nil),
                ("ProtocolBinding", SAMLBinding.post), ("AssertionConsumerServiceURL", assertionConsumerURL),
            ]
        ) {
            try writer.element("saml:Issuer", text: issuer)
            try writer.element("samlp:NameIDPolicy", [("Format", nameIDFormat), ("AllowCreate", "true")])
        }
        return try writer.finish()
    }

    private static func signature(of query: String, by pem: String) throws -> String {
        do {
            let key = try _RSA.Signing.PrivateKey(pemRepresentation: pem)
            let signature = try key.signature(for: SHA256.hash(data: Data(query.utf8)), padding: .insecurePKCS1v1_5)
            return signature.rawRepresentation.base64EncodedString()
        } catch { throw SAMLRequestError.key }
    }

    // The signature covers these very bytes.
    private static func escaped(_ text: String) -> String { PercentEncoding.encode(text) }
}
