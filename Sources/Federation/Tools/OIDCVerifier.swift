import Crypto
import Foundation
package import Project
import Tokens

/// Verifies ID tokens of OpenID providers (OpenID Connect Core 1.0 §3.1.3.7), for the use of provider types.
package struct OIDCVerifier: Sendable {
    /// A provider's requirements for its tokens.
    package struct Policy: Sendable {
        /// The accepted values of `iss`, compared exactly.
        package var issuers: [String]
        /// Our client ids. If the list is empty, every token is refused (threat case OID-02).
        package var audiences: [String]
        package var keys: KeySource
        package var nonce: NonceRule

        package init(issuers: [String], audiences: [String], keys: KeySource, nonce: NonceRule) {
            self.issuers = issuers
            self.audiences = audiences
            self.keys = keys
            self.nonce = nonce
        }
    }

    /// A verified ID token.
    package struct Verified: Sendable {
        package let claims: JSONValue
        package let subject: String
        package let singleUse: VerifiedIdentity.SingleUse?
    }

    private let keySets: KeySetCache
    private let environment: ServerEnvironment

    package init(keySets: KeySetCache, environment: ServerEnvironment) {
        self.keySets = keySets
        self.environment = environment
    }

    /// Verifies the ID token of a credential.
    ///
    /// - Parameters:
    ///   - idToken: The token.
    ///   - credential: The raw nonce, access token and code that came with it.
    ///   - policy: The provider's requirements.
    /// - Returns: The claims. All claims of the protocol that are present have been checked.
    /// - Throws: ``ProviderError``; `APIError` `MISSING_OR_INVALID_NONCE`.
    package func verify(_ idToken: String, of credential: IdPCredential, policy: Policy) async throws -> Verified {
        let token: CompactJWS
        do {
            token = try CompactJWS(idToken)
        } catch {
            throw ProviderError(.signature, "The ID token is malformed.", cause: error)
        }
        guard VerificationKey.Algorithm(name: token.algorithm) != nil else {
            throw ProviderError(.signature, "The ID token's signature algorithm is not allowed.")
        }
        let claims = token.payload
        // The issuer is compared before its keys are fetched, so that a token of a foreign issuer causes no request.
        guard let issuer = claims["iss"]?.string, policy.issuers.containsBytes(of: issuer) else {
            throw ProviderError(.claims, "The ID token was issued by somebody else (iss).")
        }
        guard try await keySets.keySet(of: policy.keys, wanting: token.keyID).verifies(token) else {
            throw ProviderError(.signature, "The ID token's signature is invalid or of an unknown key.")
        }
        try checkAudience(claims, policy.audiences)
        let expiresAt = try checkTimes(claims)
        guard let subject = claims["sub"]?.string.flatMap(ProfileText.subject) else {
            throw ProviderError(.claims, "The ID token names no user (sub).")
        }
        try checkHash("at_hash", of: credential.accessToken, token)
        try checkHash("c_hash", of: credential.authorizationCode, token)
        try policy.nonce.check(claims: claims, rawNonce: credential.nonce)
        return Verified(
            claims: claims,
            subject: subject,
            singleUse: claims["nonce"]?.string.map { nonce in
                let parts: [JSONValue] = ["nonce", .string(issuer), .string(subject), .string(nonce)]
                return VerifiedIdentity.SingleUse(hash: sha256(JSONValue.array(parts).serialized()), expiresAt: expiresAt)
            }
        )
    }

    /// A text claim of an unverified token. Use it only to choose what to verify the token against.
    package static func unverifiedClaim(_ name: String, of idToken: String) -> String? {
        (try? CompactJWS(idToken))?.payload[name]?.string
    }

    // Core §3.1.3.7, steps 3 to 5: elements are compared exactly, several audiences need an authorized party, and that must be
    // us.
    private func checkAudience(_ claims: JSONValue, _ ours: [String]) throws {
        let audiences: [String]
        switch claims["aud"] {
        case .string(let audience): audiences = [audience]
        // An element that is not a text cannot be interpreted, so it makes the whole list invalid.
        case .array(let elements) where elements.allSatisfy({ $0.string != nil }): audiences = elements.compactMap(\.string)
        default: audiences = []
        }
        guard audiences.contains(where: ours.containsBytes) else {
            throw ProviderError(.claims, "The ID token is for another client (aud).")
        }
        switch claims["azp"] {
        case nil where audiences.count == 1: return
        case .string(let party) where ours.containsBytes(of: party): return
        default: throw ProviderError(.claims, "The ID token is for another client (azp).")
        }
    }

    /// Returns the time from which the token would be refused as too old.
    private func checkTimes(_ claims: JSONValue) throws -> Timestamp {
        let now = environment.now().seconds
        let skew = TokenIssuer.clockSkewSeconds
        guard let expiry = claims["exp"]?.numericDate, expiry >= 0, now < expiry + skew else {
            throw ProviderError(.claims, "The ID token has expired (exp).")
        }
        guard let issuedAt = claims["iat"]?.numericDate, issuedAt >= 0, issuedAt <= now + skew else {
            throw ProviderError(.claims, "The ID token is not valid yet (iat).")
        }
        if let notBefore = claims["nbf"] {
            guard let time = notBefore.numericDate, time >= 0, time <= now + skew else {
                throw ProviderError(.claims, "The ID token is not valid yet (nbf).")
            }
        }
        return Timestamp(seconds: expiry + skew)
    }

    // Core §3.1.3.6 and §3.3.2.11: the left half of the hash function that belongs to the token's algorithm.
    private func checkHash(_ name: String, of value: String?, _ token: CompactJWS) throws {
        guard let value, let member = token.payload[name] else { return }
        let data = Data(value.utf8)
        let digest: [UInt8]
        switch VerificationKey.Algorithm(name: token.algorithm) {
        case .rs384, .ps384, .es384: digest = Array(SHA384.hash(data: data))
        case .rs512, .ps512, .es512, .edDSA: digest = Array(SHA512.hash(data: data))
        case .rs256, .ps256, .es256, nil: digest = Array(SHA256.hash(data: data))
        }
        guard let claim = member.string, constantTimeEqual(claim, Base64URL.encode(Array(digest.prefix(digest.count / 2)))) else {
            throw ProviderError(.claims, "The ID token does not belong to the token or code beside it (\(name)).")
        }
    }
}
