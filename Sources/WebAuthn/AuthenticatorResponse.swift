import Foundation
import Project

/// A `PublicKeyCredential` as clients send it (WebAuthn §5.1, `toJSON()`), not yet verified.
package struct AuthenticatorResponse: Sendable {
    /// The credential id, as sent.
    package var id: String?
    package var rawID: String?
    package var type: String?
    package var clientData: String?
    /// Only in a registration.
    package var attestationObject: String?
    /// Only in a sign-in.
    package var authenticatorData: String?
    package var signature: String?
    package var userHandle: String?

    package init() {}

    /// The credential id, which must be equal in both of its members (threat case PKY-04).
    ///
    /// - Throws: `APIError` `INVALID_CREDENTIAL_ID`, `INVALID_AUTHENTICATOR_RESPONSE`.
    package func credentialID() throws -> [UInt8] {
        guard let id = id.flatMap(Self.bytes), (1...AuthenticatorData.maximumCredentialIDLength).contains(id.count) else {
            throw APIError(.invalidCredentialID)
        }
        if let rawID, Self.bytes(rawID) != id { throw RelyingParty.refusal("id and rawId differ.") }
        if let type, type != "public-key" { throw RelyingParty.refusal("The credential is no public key.") }
        return id
    }

    package static func member(_ text: String?, _ name: String) throws -> [UInt8] {
        guard let bytes = text.flatMap(bytes) else { throw RelyingParty.refusal("\(name) is missing or not base64.") }
        return bytes
    }

    // Clients use either base64 alphabet, with or without padding.
    private static func bytes(_ text: String) -> [UInt8]? {
        let urlSafe = text.utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
        return Base64URL.decode(urlSafe)
    }
}
