import Crypto
import Foundation
package import Project

/// The token that identifies Postern to Apple's push service (developer.apple.com, "Establishing a token-based connection to
/// APNs"): ES256, valid for an hour, renewed at most every 20 minutes.
package final class APNsProviderToken: Sendable {
    private let keyID: String
    private let teamID: String
    private let key: P256.Signing.PrivateKey
    private let environment: ServerEnvironment
    private let current = LockedState<(text: String, madeAt: Timestamp)?>(nil)

    private static let lifetime = Duration.seconds(50 * 60)
    private static let shortestLife = Duration.seconds(20 * 60)

    /// - Parameter privateKey: The text of the `.p8` file.
    package init(keyID: String, teamID: String, privateKey: String, environment: ServerEnvironment) throws {
        self.keyID = keyID
        self.teamID = teamID
        key = try P256.Signing.PrivateKey(pemRepresentation: privateKey)
        self.environment = environment
    }

    /// A token that is at most 50 minutes old.
    package func text() throws -> String {
        let now = environment.now()
        if let known = current.withLock(\.self), known.madeAt <= now, now < known.madeAt.advanced(by: Self.lifetime) {
            return known.text
        }
        let header: JSONValue = ["alg": "ES256", "kid": .string(keyID)]
        let claims: JSONValue = ["iss": .string(teamID), "iat": .integer(now.seconds)]
        let input = "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(claims.serialized()))"
        let signature = try key.signature(for: Data(input.utf8)).rawRepresentation
        let text = "\(input).\(Base64URL.encode(signature))"
        current.withLock { $0 = (text, now) }
        return text
    }

    /// Discards a token that Apple refused, so that the next call makes a new one. A token younger than 20 minutes is kept,
    /// because Apple refuses callers that renew tokens more often (`TooManyProviderTokenUpdates`).
    package func refused(_ text: String) {
        let now = environment.now()
        current.withLock { known in
            guard let token = known, token.text == text, token.madeAt.advanced(by: Self.shortestLife) <= now else { return }
            known = nil
        }
    }
}
