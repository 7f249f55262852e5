package import Project
package import Storage

/// What an ID token states about a user and a session (`Docs/Contract/tokens.md` §1).
package struct IDTokenSubject: Sendable {
    package var scope: Scope
    package var account: AccountRecord
    package var identities: [IdentityRecord]
    package var session: SessionRecord

    package init(scope: Scope, account: AccountRecord, identities: [IdentityRecord], session: SessionRecord) {
        self.scope = scope
        self.account = account
        self.identities = identities
        self.session = session
    }

    /// The claims in the contract's merge order: profile, custom claims, session claims, reserved claims. A later one replaces an
    /// earlier one.
    ///
    /// - Parameters:
    ///   - issuedAt: `iat`, in seconds.
    ///   - lifetimeSeconds: `exp` less `iat`, at most.
    ///   - mode: Decides when there is an `email_verified`, and whether `firebase.session` says which session the token is of
    ///     (`Docs/Contract/rulings.md` 10 and 34).
    package func claims(issuer: String, issuedAt: Int64, lifetimeSeconds: Int64, mode: ModeRules) -> JSONValue {
        var claims: JSONObject = [:]
        for text in [account.customAttributes, session.claims] {
            guard let extra = text.flatMap({ try? JSONValue.parse($0.utf8).object }) else { continue }
            claims.merge(extra) { $1 }
        }
        // In the order of their names, so that the token need not be sorted.
        claims["aud"] = .string(scope.projectID)
        claims["auth_time"] = .integer(session.authTime)
        claims["email"] = account.email.map(JSONValue.string)
        claims["email_verified"] = isVerified(mode).map(JSONValue.bool)
        claims["exp"] = .integer(issuedAt + lifetime(from: issuedAt, atMost: lifetimeSeconds))
        claims["firebase"] = firebase(namesSession: mode.bindsIDTokensToSessions)
        claims["iat"] = .integer(issuedAt)
        claims["iss"] = .string(issuer)
        if claims["name"] == nil { claims["name"] = account.displayName.map(JSONValue.string) }
        claims["phone_number"] = account.phoneNumber.map(JSONValue.string)
        if claims["picture"] == nil { claims["picture"] = account.photoURL.map(JSONValue.string) }
        claims["provider_id"] = session.signInProvider == "anonymous" ? "anonymous" : nil
        claims["sub"] = .string(account.localID)
        claims["user_id"] = .string(account.localID)
        return .object(claims)
    }

    /// The lifetime of a token in seconds: that of every token, but not beyond the end of an operator's session.
    ///
    /// - Returns: At least a second.
    package func lifetime(from issuedAt: Int64, atMost lifetimeSeconds: Int64) -> Int64 {
        let end = ActorClaim.end(of: session.claims, authTime: session.authTime)
        return end.map { min(lifetimeSeconds, max($0 - issuedAt, 1)) } ?? lifetimeSeconds
    }

    // Ruling 34.
    private func isVerified(_ mode: ModeRules) -> Bool? {
        if account.email != nil { return account.emailVerified ?? false }
        return mode.claimsVerificationWithoutEmail ? account.emailVerified : nil
    }

    // `Docs/Contract/tokens.md` §1.3 and §1.4.
    private func firebase(namesSession: Bool) -> JSONValue {
        var identities: JSONObject = [:]
        for identity in self.identities { identities[identity.providerID] = [.string(identity.rawID)] }
        identities["email"] = account.email.map { [.string($0)] }
        identities["phone"] = account.phoneNumber.map { [.string($0)] }
        var members: JSONObject = ["identities": .object(identities)]
        members["second_factor_identifier"] = (session.secondFactor?.enrollmentID).map(JSONValue.string)
        members["session"] = namesSession ? .string(session.sessionID) : nil
        members["sign_in_attributes"] = session.signInAttributes.flatMap { try? JSONValue.parse($0.utf8) }
        members["sign_in_provider"] = .string(session.signInProvider)
        members["sign_in_second_factor"] = (session.secondFactor?.kind).map(JSONValue.string)
        members["tenant"] = scope.tenantID.map(JSONValue.string)
        return .object(members)
    }
}

/// A verified ID token of ours: its user, and the claims that the rules need.
package struct VerifiedIDToken: Sendable {
    /// What ends the token besides its expiry (`Docs/Contract/rulings.md` 10).
    package enum Life: Sendable, Hashable {
        /// The end of the session with this name.
        case session(String)
        /// Its account's `validSince`, but not when it is in the same second as `iat`. For development, as in the emulator.
        case emulated
    }

    package let scope: Scope
    package let localID: String
    /// `iat`, in seconds.
    package let issuedAt: Int64
    /// `auth_time`, in seconds.
    package let authTime: Int64
    package let signInProvider: String
    /// `firebase.sign_in_attributes`.
    package let signInAttributes: JSONValue?
    /// The second factor that the session was begun with.
    package let secondFactor: UsedSecondFactor?
    /// What ends the token besides its expiry.
    package let life: Life
    /// The custom claims of the account or the session: all claims that neither the profile nor the protocol defines.
    private let customClaims: JSONObject
    /// `exp`, in seconds.
    let expiresAt: Int64
    /// Whether `exp` had passed when the token was presented. The rules look at it only after they know that the account exists.
    package internal(set) var isExpired = false

    private static let ownClaims: Set<String> = [
        "iss", "aud", "sub", "user_id", "auth_time", "iat", "exp", "email", "email_verified", "phone_number", "provider_id",
        "firebase", "name", "picture",
    ]

    /// Reads the claims of a token whose signature, issuer and audience have been checked.
    init?(claims: JSONValue, projectID: String) {
        guard let localID = claims["sub"]?.string, !localID.isEmpty, bytesEqual(claims["user_id"]?.string, localID),
            let issuedAt = claims["iat"]?.integer, let authTime = claims["auth_time"]?.integer,
            let expiresAt = claims["exp"]?.integer, expiresAt >= 0,
            let provider = claims["firebase"]?["sign_in_provider"]?.string
        else { return nil }
        // A session's id is known to its user and the store only: whoever holds nothing but a signing key cannot name one.
        guard let session = claims["firebase"]?["session"]?.string else { return nil }
        self.init(claims, projectID, localID, issuedAt, authTime, expiresAt, provider, .session(session))
    }

    /// Whether custom claims are in this token. Claims that the protocol overwrites are not compared.
    package func bears(_ claims: JSONObject) -> Bool {
        claims.allSatisfy { Self.ownClaims.contains($0.key.text) || customClaims[$0.key] == $0.value }
    }

    /// When the session of the token ends if an operator acts as the user in it, in seconds since 1970; `nil` for a user's own session.
    package var operatorSessionEnd: Int64? {
        ActorClaim.isIn(customClaims) ? authTime + ActorClaim.lifetimeSeconds : nil
    }

    /// Reads the claims of any token without verification. For development, where tests make their own tokens
    /// (`Docs/Contract/emulator-endpoints.md` §7.2).
    init?(unverifiedClaims claims: JSONValue, projectID: String) {
        guard let localID = claims["user_id"]?.string ?? claims["sub"]?.string, !localID.isEmpty, !localID.utf8.contains(0)
        else { return nil }
        let issuedAt = claims["iat"]?.numericDate ?? 0
        let provider = claims["firebase"]?["sign_in_provider"]?.string ?? "custom"
        let authTime = claims["auth_time"]?.numericDate ?? issuedAt
        // Its end counts once the server's clock has been moved.
        let expiresAt = claims["exp"]?.numericDate ?? .max
        self.init(claims, projectID, localID, issuedAt, authTime, expiresAt, provider, .emulated)
    }

    private init(
        _ claims: JSONValue,
        _ projectID: String,
        _ localID: String,
        _ issuedAt: Int64,
        _ authTime: Int64,
        _ expiresAt: Int64,
        _ provider: String,
        _ life: Life
    ) {
        self.life = life
        self.localID = localID
        self.issuedAt = issuedAt
        self.authTime = authTime
        signInProvider = provider
        self.expiresAt = expiresAt
        signInAttributes = claims["firebase"]?["sign_in_attributes"]
        if let kind = claims["firebase"]?["sign_in_second_factor"]?.string,
            let identifier = claims["firebase"]?["second_factor_identifier"]?.string
        {
            secondFactor = UsedSecondFactor(kind: kind, enrollmentID: identifier)
        } else {
            secondFactor = nil
        }
        customClaims = (claims.object ?? [:]).filter { !Self.ownClaims.contains($0.key.text) }
        scope = Scope(projectID: projectID, tenantID: claims["firebase"]?["tenant"]?.string)
    }
}
