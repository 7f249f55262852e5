import Project

/// The signed assertion with which a service account asks for an access token (RFC 7523 §2.1 and §3), as Google's libraries write
/// it.
package struct ServiceAccountAssertion: Sendable {
    private let token: CompactJWS

    /// Google's own token endpoints, without `https://`. Its libraries of different ages name them as audience, some also when the
    /// key file's `token_uri` is another server's.
    package static let googleEndpoints = [
        "oauth2.googleapis.com/token", "www.googleapis.com/oauth2/v4/token", "accounts.google.com/o/oauth2/token",
    ]

    /// How long a used assertion could still be accepted.
    package static let longestUse = Duration.seconds(ServiceAccountTimes.longestUseSeconds)

    private static let maximumLength = 16 * 1024

    /// Why an assertion is refused. The text is for the holder of the key and contains no secret.
    package struct InvalidAssertion: Error, Sendable, Hashable {
        package let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// Splits an assertion into its parts. Nothing of it is verified.
    package init(_ text: String) throws {
        guard text.utf8.count <= Self.maximumLength, let token = try? CompactJWS(text) else {
            throw InvalidAssertion("The assertion is not a JWT.")
        }
        guard token.algorithm == VerificationKey.Algorithm.rs256.rawValue, token.isPlainJWT else {
            throw InvalidAssertion("The assertion must be a JWT signed with RS256.")
        }
        self.token = token
    }

    /// The account that claims to have signed the assertion.
    ///
    /// - Throws: ``InvalidAssertion``, also for an account that asks in the name of another one, which is never allowed.
    package func account() throws -> String {
        guard let issuer = token.payload["iss"]?.string, !issuer.isEmpty else {
            throw InvalidAssertion("The issuer (iss) is missing.")
        }
        guard token.payload["sub"].map({ bytesEqual($0.string, issuer) }) ?? true else {
            throw InvalidAssertion("The subject (sub) must be the issuer (iss), or left out.")
        }
        return issuer
    }

    /// Whether it asks for an ID token for another service rather than for an access token.
    package var wantsIDToken: Bool { token.payload["target_audience"] != nil }

    /// SHA-256 of the part that identifies this assertion, and whether that is a `jti`.
    package var identity: (hash: [UInt8], isNamed: Bool) {
        guard let name = token.payload["jti"]?.string, !name.isEmpty else {
            return (sha256(Array("assertion:".utf8) + token.signingInput), false)
        }
        return (sha256("jti:\(token.payload["iss"]?.string ?? ""):\(name)".utf8), true)
    }

    /// Checks signature, audience and times.
    ///
    /// - Parameters:
    ///   - audience: The token endpoint's URL. Those of ``googleEndpoints`` are accepted too.
    ///   - now: In seconds.
    package func verify(with key: VerificationKey, audience: String, at now: Int64) throws {
        guard key.verifies(token) else { throw InvalidAssertion("The signature is not the account's.") }
        guard names(audience) else { throw InvalidAssertion("The audience (aud) must be \(audience).") }
        if let fault = ServiceAccountTimes(token.payload).fault(at: now, of: "assertion") { throw InvalidAssertion(fault) }
        if let notBefore = token.payload["nbf"], notBefore.numericDate.map({ $0 > now + TokenIssuer.clockSkewSeconds }) ?? true {
            throw InvalidAssertion("The assertion is not valid yet (nbf).")
        }
    }

    private func names(_ audience: String) -> Bool {
        let aud = token.payload["aud"]
        let named = aud?.array?.compactMap(\.string) ?? [aud?.string].compactMap { $0 }
        return ([audience] + Self.googleEndpoints.map { "https://" + $0 }).contains { named.containsBytes(of: $0) }
    }
}
