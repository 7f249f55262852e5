package import Project
import Storage
package import Tokens

/// Sensitive changes demand a recent sign-in (`contract/client-accounts.md` §0.4); development never does.
package struct RecentLoginRule: Sendable {
    private let window: Duration
    private let linkWindow: Duration?
    private let mode: ModeRules

    /// - Parameters:
    ///   - window: `limits.recentLoginSeconds`.
    ///   - linkWindow: `limits.linkRecentLoginSeconds`; `nil` asks for no recent sign-in where a way in is linked.
    ///   - mode: Development skips the rule, as the emulator does.
    package init(window: Duration, linkWindow: Duration?, mode: ModeRules) {
        self.window = window
        self.linkWindow = linkWindow
        self.mode = mode
    }

    /// Checks the sign-in behind a token.
    ///
    /// - Throws: `APIError` `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`.
    package func check(_ token: VerifiedIDToken, at time: Timestamp) throws {
        if mode.needsRecentSignIn { try check(token, window, at: time) }
    }

    /// Checks the session behind a change of the address or of the ways in: recent, and as strong as the account's second factor.
    ///
    /// - Parameters:
    ///   - token: The session's.
    ///   - account: The account that changes.
    ///   - mfa: Whether its second factors count.
    ///   - time: Now.
    /// - Throws: `APIError` `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`.
    func checkSensitive(_ token: VerifiedIDToken, _ account: AccountRecord, _ mfa: MFAPolicy, at time: Timestamp) throws {
        try check(token, at: time)
        if mode.needsRecentSignIn, mfa.demandsSecondFactor(of: account), token.secondFactor == nil {
            throw APIError(.credentialTooOldLoginAgain)
        }
    }

    /// Checks the sign-in behind a token to whose account a provider, a number or an e-mail link is to be linked (threat case LNK-06,
    /// `contract/rulings.md` 28).
    ///
    /// An anonymous account is exempt: it has no way to sign in again, and becoming permanent is what it is for. The account says whether
    /// it is one, for a session of its anonymous days may be old (threat case LNK-16).
    ///
    /// - Throws: `APIError` `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`; `StorageError`.
    func checkLink(
        _ token: VerifiedIDToken,
        to account: AccountRecord?,
        at time: Timestamp,
        in transaction: any Transaction
    ) throws {
        guard mode.needsRecentSignIn, let linkWindow, let account else { return }
        if try !transaction.isAnonymous(account, token.scope) { try check(token, linkWindow, at: time) }
    }

    /// Checks the session behind a token to whose account a password is to be added, with an address or for the one that it has
    /// (`contract/client-accounts.md` §9.2, row 7c; `contract/rulings.md` 26 and 36).
    ///
    /// - Parameters:
    ///   - token: The session's.
    ///   - account: The account.
    ///   - email: The address that comes with the password.
    ///   - policy: The scope's rules.
    ///   - time: Now.
    ///   - transaction: Where to read.
    /// - Throws: `APIError` `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`, `EMAIL_CHANGE_NEEDS_VERIFICATION`, `OPERATION_NOT_ALLOWED`;
    ///   `StorageError`.
    func checkPassword(
        _ token: VerifiedIDToken,
        of account: AccountRecord,
        email: String,
        _ policy: SignInPolicy,
        at time: Timestamp,
        in transaction: any Transaction
    ) throws {
        guard mode.needsRecentSignIn, try !transaction.isAnonymous(account, token.scope) else { return }
        try checkSensitive(token, account, policy.mfa, at: time)
        if account.email == email { return }
        try checkAddress(of: account, policy)
    }

    /// Whether a session may put an address in the place of the account's without proving it first.
    ///
    /// - Throws: `APIError` `OPERATION_NOT_ALLOWED`, `EMAIL_CHANGE_NEEDS_VERIFICATION`.
    func checkAddress(of account: AccountRecord, _ policy: SignInPolicy) throws {
        guard mode.guardsProvenAddresses else { return }
        if account.hadProvenAddress || (policy.hidesAccounts && account.email != nil) { throw Self.unverifiedAddress }
        if account.email != nil, !account.secondFactors.isEmpty { throw APIError(.emailChangeNeedsVerification) }
    }

    /// What everything answers that would change a proven address in another way than by proving the new one.
    static var unverifiedAddress: APIError {
        APIError(.operationNotAllowed, "Please verify the new email before changing email.")
    }

    private func check(_ token: VerifiedIDToken, _ window: Duration, at time: Timestamp) throws {
        if time >= Timestamp(seconds: token.authTime).advanced(by: window + .seconds(1)) {
            throw APIError(.credentialTooOldLoginAgain)
        }
    }
}
