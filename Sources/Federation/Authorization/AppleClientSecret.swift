import Crypto
import Foundation
import Project

/// Signs Apple's client secrets: JWTs with ES256 (`Docs/Contract/web-handler.md` §7.2, 4). Each is valid for ten minutes and is
/// reused for five.
final class AppleClientSecret: Sendable {
    private struct Cached: Sendable {
        let secret: String
        let issuedAt: Timestamp
    }

    private struct Key: Hashable {
        let key: ClientRegistration.AppleKey
        let clientID: String
    }

    private static let lifetimeSeconds: Int64 = 600
    private static let reuse = Duration.seconds(300)
    private static let maximumSecrets = 64

    private let environment: ServerEnvironment
    private let audience: String
    private let cache = LockedState<[Key: Cached]>([:])

    /// - Parameter audience: Apple's issuer, or `endpoints.apple` (ruling 6).
    init(environment: ServerEnvironment, audience: String) {
        self.environment = environment
        self.audience = audience
    }

    /// A secret for one of our client ids.
    ///
    /// - Throws: `APIError` `OPERATION_NOT_ALLOWED` for an invalid private key.
    func secret(_ key: ClientRegistration.AppleKey, clientID: String) throws -> String {
        let now = environment.now()
        let cacheKey = Key(key: key, clientID: clientID)
        if let cached = cache.withLock({ $0[cacheKey] }), cached.issuedAt <= now,
            now < cached.issuedAt.advanced(by: Self.reuse)
        {
            return cached.secret
        }
        let secret = try sign(key, clientID, at: now)
        cache.withLock { cache in
            if cache.count >= Self.maximumSecrets { cache.removeAll() }
            cache[cacheKey] = Cached(secret: secret, issuedAt: now)
        }
        return secret
    }

    private func sign(_ key: ClientRegistration.AppleKey, _ clientID: String, at now: Timestamp) throws -> String {
        let header: JSONValue = ["alg": "ES256", "kid": .string(key.keyID)]
        let claims: JSONValue = [
            "iss": .string(key.teamID), "iat": .integer(now.seconds), "exp": .integer(now.seconds + Self.lifetimeSeconds),
            "aud": .string(audience), "sub": .string(clientID),
        ]
        let input = "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(claims.serialized()))"
        do {
            let signature = try P256.Signing.PrivateKey(pemRepresentation: key.privateKey).signature(for: Data(input.utf8))
            return "\(input).\(Base64URL.encode(signature.rawRepresentation))"
        } catch {
            throw APIError(.operationNotAllowed, "The identity provider configuration has no usable private key.", cause: error)
        }
    }
}
