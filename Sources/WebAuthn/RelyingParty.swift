import Foundation
package import Project

/// The relying party of passkeys, with the checks that registrations and sign-ins share (WebAuthn §7.1, §7.2).
package struct RelyingParty: Sendable {
    /// The domain that passkeys are bound to.
    package let id: String
    /// The allowed origins of ceremonies, compared byte for byte.
    package let origins: [String]

    package init(id: String, origins: [String]) {
        self.id = id
        self.origins = origins
    }

    /// Which ceremony the client went through: `type` of its data.
    package enum Ceremony: String, Sendable {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    private static let maximumClientData = 8192

    /// Checks the client data of a ceremony.
    ///
    /// - Returns: The challenge in base64url, not yet checked.
    package func challenge(inClientData bytes: [UInt8], of ceremony: Ceremony) throws -> String {
        guard bytes.count <= Self.maximumClientData, let data = try? JSONValue.parse(bytes),
            data["type"]?.string == ceremony.rawValue, let challenge = data["challenge"]?.string
        else { throw Self.refusal("The client data is not that of this ceremony.") }
        guard let origin = data["origin"]?.string, origins.containsBytes(of: origin) else {
            throw Self.refusal("The ceremony took place at another origin.")
        }
        // A ceremony in a frame inside another site's page is refused (threat case PKY-02).
        guard data["crossOrigin"] ?? false == false, data["topOrigin"] == nil else {
            throw Self.refusal("The ceremony took place inside another page.")
        }
        return challenge
    }

    /// Reads the authenticator data, and checks the relying party and that the user was present and verified.
    func authenticatorData(_ bytes: [UInt8]) throws -> AuthenticatorData {
        guard let data = try? AuthenticatorData(bytes) else { throw Self.refusal("The authenticator data is malformed.") }
        guard constantTimeEqual(data.relyingPartyIDHash, sha256(id.utf8)) else {
            throw Self.refusal("The passkey belongs to another relying party.")
        }
        guard data.isUserPresent, data.isUserVerified else { throw Self.refusal("The user was not verified.") }
        return data
    }

    package static func refusal(_ reason: String) -> APIError { APIError(.invalidAuthenticatorResponse, reason) }
}
