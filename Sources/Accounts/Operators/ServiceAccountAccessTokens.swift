import Foundation
import Project
import Tokens

/// The access tokens of service accounts. They are sealed under the master key, so only Postern's nodes can read them.
///
/// A token names the key that its account had. It ends with the account and with that key.
package struct ServiceAccountAccessTokens: Sendable {
    let environment: ServerEnvironment
    let sealer: TokenSealer
    /// The prefix of every token.
    package static let prefix = "postern_sa_"
    /// The lifetime of a token in seconds.
    package static let lifetimeSeconds = 3600

    /// The service account that a token was issued to, with its key.
    struct Bearer: Sendable, Hashable {
        let email: String
        let keyID: String
    }

    /// Makes a token.
    func seal(_ bearer: Bearer, projectID: String) throws -> String {
        let content: JSONValue = ["email": .string(bearer.email), "keyId": .string(bearer.keyID)]
        let sealed = try sealer.seal(
            content.serialized(),
            for: .serviceAccountAccess,
            scope: Scope(projectID: projectID),
            expiresAt: environment.now().advanced(by: .seconds(Self.lifetimeSeconds))
        )
        return Self.prefix + sealed
    }

    /// Opens a token; `nil` for one that is forged, expired or another project's.
    func open(_ token: String, projectID: String) -> Bearer? {
        let sealed = String(token.dropFirst(Self.prefix.count))
        guard let data = try? sealer.open(sealed, for: .serviceAccountAccess, scope: Scope(projectID: projectID)),
            let content = try? JSONValue.parse(data), let email = content["email"]?.string, let keyID = content["keyId"]?.string
        else { return nil }
        return Bearer(email: email, keyID: keyID)
    }
}
