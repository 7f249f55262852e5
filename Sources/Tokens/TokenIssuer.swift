package import Project

/// Mints ID tokens and verifies them. No other code knows their form (`Docs/Contract/tokens.md` §1).
package final class TokenIssuer: Sendable {
    /// Whether tokens are signed, or have `alg: none` as the Firebase emulator's have.
    package enum Form: Sendable {
        case signed
        /// Development only. In emulator mode the Node Admin SDK accepts no signed tokens.
        case unsigned
    }

    /// Clock skew allowed to the issuer of a token, in seconds (`Docs/Contract/rulings.md` 3).
    package static let clockSkewSeconds = ClockSkew.limit.components.seconds

    private let keyRing: KeyRing
    private let environment: ServerEnvironment
    private let form: Form
    private let configuredIssuer: String?
    private let mode: ModeRules
    private let verifiedTokens = VerifiedTokenCache()
    package let lifetimeSeconds: Int64

    /// Makes an issuer.
    ///
    /// - Parameters:
    ///   - issuer: `tokens.issuer`; `nil` for Firebase's, which the Admin SDKs check.
    ///   - mode: Development believes every token and never checks `exp`, as the emulator does.
    package init(
        keyRing: KeyRing,
        environment: ServerEnvironment,
        form: Form,
        issuer: String?,
        lifetimeSeconds: Int64,
        mode: ModeRules
    ) {
        self.keyRing = keyRing
        self.environment = environment
        self.form = form
        configuredIssuer = issuer
        self.lifetimeSeconds = lifetimeSeconds
        self.mode = mode
    }

    /// The `iss` of a project's ID tokens.
    package func issuer(projectID: String) -> String {
        configuredIssuer ?? "https://securetoken.google.com/\(projectID)"
    }

    /// Mints an ID token.
    ///
    /// - Parameter issuedAt: `iat`, in seconds.
    package func mint(_ subject: IDTokenSubject, issuedAt: Int64) throws -> String {
        let issuer = issuer(projectID: subject.scope.projectID)
        let claims = subject.claims(issuer: issuer, issuedAt: issuedAt, lifetimeSeconds: lifetimeSeconds, mode: mode)
        return try serialize(claims)
    }

    /// Makes a token of claims, in the server's form.
    ///
    /// - Parameter claims: Every claim; nothing is added.
    package func serialize(_ claims: JSONValue) throws -> String {
        var key: SigningKeyPair?
        var token: [UInt8] = []
        switch form {
        case .unsigned: Base64URL.append(Self.unsignedHeader, to: &token)
        case .signed:
            let current = try keyRing.current()
            Base64URL.append(current.header, to: &token)
            key = current
        }
        token.append(UInt8(ascii: "."))
        Base64URL.append(claims.canonical(), to: &token)
        let signature = try TracedOperation.sign.trace { try key?.signer.sign(token) } ?? []
        token.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &token)
        return String(decoding: token, as: UTF8.self)
    }

    private static let unsignedHeader = JSONValue.object(["alg": "none", "typ": "JWT"]).canonical()

    /// Verifies an ID token: signature, issuer, audience, issue time, and the claims that every ID token of ours has.
    ///
    /// - Returns: The account itself is not looked up.
    /// - Throws: `APIError` `INVALID_ID_TOKEN`.
    package func verify(_ token: String, projectID: String) throws -> VerifiedIDToken {
        let now = environment.now().seconds
        var verified = try remembered(token, projectID: projectID) ?? verifyAnew(token, projectID: projectID)
        let checksTimes = mode.checksTimesOfIDTokens || environment.isClockAdvanced()
        guard !checksTimes || verified.issuedAt <= now + Self.clockSkewSeconds else { throw APIError(.invalidIDToken) }
        verified.isExpired = checksTimes && now - Self.clockSkewSeconds >= verified.expiresAt
        return verified
    }

    private func remembered(_ token: String, projectID: String) -> VerifiedIDToken? {
        guard let known = verifiedTokens[token], known.token.scope.projectID == projectID else { return nil }
        // A key that is no longer published verifies no token, also not a remembered one.
        if let keyID = known.keyID, keyRing.verificationKey(keyID) == nil { return nil }
        return known.token
    }

    private func verifyAnew(_ token: String, projectID: String) throws -> VerifiedIDToken {
        if !mode.verifiesIDTokens {
            guard let jws = try? CompactJWS(unverified: token),
                let unverified = VerifiedIDToken(unverifiedClaims: jws.payload, projectID: projectID)
            else { throw APIError(.invalidIDToken) }
            verifiedTokens[token] = .init(token: unverified, keyID: nil)
            return unverified
        }
        guard let jws = try? CompactJWS(token), isAuthentic(jws),
            bytesEqual(jws.payload["iss"]?.string, issuer(projectID: projectID)),
            bytesEqual(jws.payload["aud"]?.string, projectID),
            let verified = VerifiedIDToken(claims: jws.payload, projectID: projectID)
        else { throw APIError(.invalidIDToken) }
        verifiedTokens[token] = .init(token: verified, keyID: jws.keyID)
        return verified
    }

    private func isAuthentic(_ token: CompactJWS) -> Bool {
        token.keyID.flatMap(keyRing.verificationKey)?.verifies(token) ?? false
    }
}
