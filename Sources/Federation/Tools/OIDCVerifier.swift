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
        /// The client secret that may sign tokens of the token endpoint (§3.1.3.7, point 8); `nil` when only ``keys`` do.
        package var clientSecret: String?

        package init(
            issuers: [String],
            audiences: [String],
            keys: KeySource,
            nonce: NonceRule,
            clientSecret: String? = nil
        ) {
            self.issuers = issuers
            self.audiences = audiences
            self.keys = keys
            self.nonce = nonce
            self.clientSecret = clientSecret
        }
    }

    /// A verified ID token.
    package struct Verified: Sendable {
        package let claims: JSONValue
        package let subject: String
        /// The entry that it makes when it is accepted, if it is good once.
        package let singleUse: VerifiedIdentity.SingleUse?
        /// The entry after which it is refused, if it is good again.
        package let refusedAfter: VerifiedIdentity.SingleUse?
    }

    private let keySets: KeySetCache
    private let environment: ServerEnvironment

    package init(keySets: KeySetCache, environment: ServerEnvironment) {
        self.keySets = keySets
        self.environment = environment
    }

    /// Verifies the ID token of a credential.
    ///
    /// - Returns: The claims. All claims of the protocol that are present have been checked.
    /// - Throws: ``ProviderError``; `APIError` `MISSING_OR_INVALID_NONCE`.
    package func verify(_ idToken: String, of credential: IdPCredential, policy: Policy) async throws -> Verified {
        let token: CompactJWS
        do {
            token = try CompactJWS(idToken)
        } catch {
            throw ProviderError(.signature, "The ID token is malformed.", cause: error)
        }
        let secret = Self.secret(for: token, of: credential, policy)
        guard secret != nil || VerificationKey.Algorithm(name: token.algorithm) != nil else {
            throw ProviderError(.signature, "The ID token's signature algorithm is not allowed.")
        }
        let claims = token.payload
        // The issuer is compared before its keys are fetched, so that a token of a foreign issuer causes no request.
        guard let issuer = claims["iss"]?.string, policy.issuers.containsBytes(of: issuer) else {
            throw ProviderError(.claims, "The ID token was issued by somebody else (iss).")
        }
        guard try await isSigned(token, secret, policy) else {
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
        let entry = claims["nonce"]?.string.map { nonce in
            let parts: [JSONValue] = ["nonce", .string(issuer), .string(subject), .string(nonce)]
            return VerifiedIdentity.SingleUse(hash: sha256(JSONValue.array(parts).serialized()), expiresAt: expiresAt)
        }
        let isUsedUp = policy.nonce.usesUpToken(of: credential)
        return Verified(
            claims: claims,
            subject: subject,
            singleUse: isUsedUp ? entry : nil,
            refusedAfter: isUsedUp ? nil : entry
        )
    }

    // Core §3.1.3.7, point 8. Only the text of the token endpoint's answer may be signed with the secret: apps and browsers bring any text,
    // and every user of a public client, whose secret is in the app, could make one (threat cases JWT-02 and JWT-03).
    private static func secret(for token: CompactJWS, of credential: IdPCredential, _ policy: Policy) -> String? {
        guard credential.idTokenOrigin == .tokenEndpoint, bytesEqual(token.algorithm, "HS256") else { return nil }
        return policy.clientSecret.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func isSigned(_ token: CompactJWS, _ secret: String?, _ policy: Policy) async throws -> Bool {
        guard let secret else { return try await keySets.keySet(of: policy.keys, wanting: token.keyID).verifies(token) }
        // Core §10.1: the key is the octets of the secret's UTF-8. The comparison takes constant time.
        return HMAC<SHA256>.isValidAuthenticationCode(
            token.signature,
            authenticating: token.signingInput,
            using: SymmetricKey(data: Data(secret.utf8))
        )
    }

    /// Verifies signed user info (Core §5.3.2): by the keys of its issuer only, never by a secret.
    func verifyUserInfo(_ text: String, issuer: String, audiences: [String]) async throws -> JSONValue {
        guard let token = try? CompactJWS(text), VerificationKey.Algorithm(name: token.algorithm) != nil else {
            throw ProviderError(.signature, "The user info is no signed token of an algorithm that is allowed.")
        }
        guard bytesEqual(token.payload["iss"]?.string, issuer) else {
            throw ProviderError(.claims, "The user info was issued by somebody else (iss).")
        }
        let keySet = try await keySets.keySet(of: .discovery(issuer: issuer), wanting: token.keyID)
        guard keySet.verifies(token, announced: keySet.announcedForUserInfo) else {
            throw ProviderError(.signature, "The user info's signature is invalid or of an unknown key.")
        }
        try checkAudience(token.payload, audiences, of: "user info")
        if let expiry = token.payload["exp"] {
            guard let time = expiry.numericDate, environment.now().seconds < time + TokenIssuer.clockSkewSeconds else {
                throw ProviderError(.claims, "The user info has expired (exp).")
            }
        }
        return token.payload
    }

    /// A text claim of an unverified token. Use it only to choose what to verify the token against.
    package static func unverifiedClaim(_ name: String, of idToken: String) -> String? {
        (try? CompactJWS(idToken))?.payload[name]?.string
    }

    // Core §3.1.3.7, steps 3 to 5: elements are compared exactly, several audiences need an authorized party, and that must be
    // us.
    private func checkAudience(_ claims: JSONValue, _ ours: [String], of what: String = "ID token") throws {
        let audiences: [String]
        switch claims["aud"] {
        case .string(let audience): audiences = [audience]
        // An element that is not a text cannot be interpreted, so it makes the whole list invalid.
        case .array(let elements) where elements.allSatisfy({ $0.string != nil }): audiences = elements.compactMap(\.string)
        default: audiences = []
        }
        guard audiences.contains(where: ours.containsBytes) else {
            throw ProviderError(.claims, "The \(what) is for another client (aud).")
        }
        switch claims["azp"] {
        case nil where audiences.count == 1: return
        case .string(let party) where ours.containsBytes(of: party): return
        default: throw ProviderError(.claims, "The \(what) is for another client (azp).")
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
