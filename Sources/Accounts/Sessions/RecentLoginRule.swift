package import Project
import Storage
package import Tokens

/// Demands a recent sign-in for sensitive changes (`Docs/Contract/client-accounts.md` §0.4); development never does.
package struct RecentLoginRule: Sendable {
    let window: Duration
    /// `nil` demands no recent sign-in for linking.
    let linkWindow: Duration?
    let mode: ModeRules

    /// Checks that the user acts. An operator who acts as the user changes none of the ways in, however recent the sign-in: what is added
    /// would sign in without a trace of the operator.
    ///
    /// - Throws: `APIError` `OPERATION_NOT_ALLOWED`.
    static func checkUser(_ token: VerifiedIDToken) throws {
        if token.operatorSessionEnd != nil {
            throw APIError(.operationNotAllowed, "An operator who signs in as a user does not change how the user signs in.")
        }
    }

    /// Checks that the user acts, and that the sign-in behind a token is recent.
    ///
    /// - Throws: `APIError` `OPERATION_NOT_ALLOWED`, `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`.
    package func check(_ token: VerifiedIDToken, at time: Timestamp) throws {
        try Self.checkUser(token)
        if mode.needsRecentSignIn { try check(token, window, at: time) }
    }

    /// Checks a session that changes the address or a way to sign in: recent, and with a second factor if the account has one.
    ///
    /// - Throws: `APIError` `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`.
    func checkSensitive(_ token: VerifiedIDToken, _ account: AccountRecord, _ mfa: MFAPolicy, at time: Timestamp) throws {
        try check(token, at: time)
        try demandSecondFactor(mfa.demandsSecondFactor(of: account) && !token.showsSecondFactor(of: account))
    }

    /// Checks a session that adds a way in after which no second factor is asked for, such as a passkey: it proved one if the account has any,
    /// whatever the project says of second factors now.
    ///
    /// - Throws: `APIError` `OPERATION_NOT_ALLOWED`, `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`.
    func checkUnguarded(_ token: VerifiedIDToken, _ account: AccountRecord) throws {
        try Self.checkUser(token)
        try demandSecondFactor(!account.secondFactors.isEmpty && !token.showsSecondFactor(of: account))
    }

    /// Checks a session that adds or removes second factors, or deletes the account. It showed a second factor if the account has one by
    /// now, or all of them were enrolled with this very ID token of its sign-in, with which a client may go on. A session may be older than
    /// the factor, so what ends an earlier step checks it again.
    ///
    /// - Parameter transaction: The transaction of the change; `nil` for a step that changes nothing yet.
    /// - Throws: `APIError` `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`.
    func checkSecondFactor(
        _ token: VerifiedIDToken,
        _ account: AccountRecord,
        _ mfa: MFAPolicy,
        in transaction: Transaction?
    ) throws {
        try Self.checkUser(token)
        guard mfa.demandsSecondFactor(of: account), !token.showsSecondFactor(of: account) else { return }
        try demandSecondFactor(token.lacksSecondFactor(of: account))
        // An ID token that somebody else got in the second of the sign-in is equal to its own.
        if let transaction { try demandSecondFactor(transaction.wasRefreshed(token)) }
    }

    private func demandSecondFactor(_ isMissing: Bool) throws {
        if mode.needsRecentSignIn, isMissing { throw APIError(.credentialTooOldLoginAgain) }
    }

    /// Checks that the sign-in behind a token is recent enough to link a provider, a number or an e-mail link to its account
    /// (threat case LNK-06, `Docs/Contract/rulings.md` 28), and that it proved a second factor if the account has one. A link that takes
    /// another way in away is as sensitive as unlinking that one.
    ///
    /// An anonymous account is exempt: it cannot sign in again, and linking makes it permanent. The account decides whether it is
    /// anonymous, because the token may be from its anonymous days (threat case LNK-16).
    ///
    /// - Parameter replaces: Whether the account loses an identity, a number or an address of the kind that is linked.
    /// - Throws: `APIError` `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`.
    func checkLink(
        _ token: VerifiedIDToken,
        to account: AccountRecord?,
        replaces: Bool,
        _ mfa: MFAPolicy,
        at time: Timestamp,
        in transaction: Transaction
    ) throws {
        guard mode.needsRecentSignIn, let account else { return }
        if replaces { try check(token, at: time) } else { try Self.checkUser(token) }
        try demandSecondFactor(mfa.demandsSecondFactor(of: account) && !token.showsSecondFactor(of: account))
        guard let linkWindow else { return }
        if try !transaction.isAnonymous(account, token.scope) { try check(token, linkWindow, at: time) }
    }

    /// Checks a session that adds a password to its account, with a new address or for the present one
    /// (`Docs/Contract/client-accounts.md` §9.2, row 7c; `Docs/Contract/rulings.md` 26 and 36).
    ///
    /// - Throws: `APIError` `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`, `EMAIL_CHANGE_NEEDS_VERIFICATION`, `OPERATION_NOT_ALLOWED`.
    func checkPassword(
        _ token: VerifiedIDToken,
        of account: AccountRecord,
        email: String,
        _ policy: SignInPolicy,
        at time: Timestamp,
        in transaction: Transaction
    ) throws {
        guard mode.needsRecentSignIn, try !transaction.isAnonymous(account, token.scope) else { return }
        try checkSensitive(token, account, policy.mfa, at: time)
        if account.email == email { return }
        try checkAddress(of: account, policy)
    }

    /// Checks whether a session may replace the account's address without first proving the new one.
    ///
    /// - Throws: `APIError` `OPERATION_NOT_ALLOWED`, `EMAIL_CHANGE_NEEDS_VERIFICATION`.
    func checkAddress(of account: AccountRecord, _ policy: SignInPolicy) throws {
        guard mode.guardsProvenAddresses else { return }
        if policy.hidesAccounts, account.email != nil { throw Self.unverifiedAddress }
        if account.email != nil, !account.secondFactors.isEmpty { throw APIError(.emailChangeNeedsVerification) }
        if account.hadProvenAddress { throw Self.unverifiedAddress }
    }

    /// The error of every change of a proven address that does not first prove the new one.
    static var unverifiedAddress: APIError {
        APIError(.operationNotAllowed, "Please verify the new email before changing email.")
    }

    private func check(_ token: VerifiedIDToken, _ window: Duration, at time: Timestamp) throws {
        if time >= Timestamp(seconds: token.authTime).advanced(by: window + .seconds(1)) {
            throw APIError(.credentialTooOldLoginAgain)
        }
    }
}

extension VerifiedIDToken {
    /// Whether the session was begun with a second factor that the account still has. One that is gone may have been a stranger's.
    func showsSecondFactor(of account: AccountRecord) -> Bool {
        secondFactor.map { used in account.secondFactors.contains { $0.enrollmentID == used.enrollmentID } } ?? false
    }

    /// Whether the account has a second factor by now that was neither shown to begin the session nor enrolled with this token.
    func lacksSecondFactor(of account: AccountRecord) -> Bool {
        if showsSecondFactor(of: account) { return false }
        return account.secondFactors.contains { $0.enrollingToken == nil || $0.enrollingToken != mark }
    }

    /// How a second factor names the ID token with which it was enrolled, if that came from the sign-in itself. With the session's
    /// refresh token somebody else could have a later one for every second. `nil` for those, and for tokens of no session.
    var mark: [UInt8]? {
        guard case .session(let id) = life, issuedAt == authTime else { return nil }
        return sha256("\(issuedAt):\(id)".utf8)
    }
}

extension Transaction {
    /// Whether the refresh token of an ID token's session was ever used. A session that is not known may have been.
    fileprivate func wasRefreshed(_ token: VerifiedIDToken) throws -> Bool {
        guard case .session(let id) = token.life,
            let session = try self.session(token.scope, localID: token.localID, sessionID: id)
        else { return true }
        return session.lastUsedAt != session.createdAt
    }
}
